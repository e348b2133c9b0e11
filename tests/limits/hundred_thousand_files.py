#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Makes 10^5 files; that they are gone afterwards is what is tested.
# scaled: FILES=10000
# expect: status=exited exit=0 success=true

import os

os.mkdir("/tmp/many")
for i in range(int(os.environ.get("FILES", 10**5))):
    os.close(os.open(f"/tmp/many/{i}", os.O_WRONLY | os.O_CREAT))
