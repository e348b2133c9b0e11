# SPDX-License-Identifier: Apache-2.0
"""An engine of the test's own; it must leave nothing, and survive whatever a test does to it."""
import pytest

import apisocket


@pytest.fixture
def engine(csbx):
    with apisocket.listening(csbx) as e:
        yield e
