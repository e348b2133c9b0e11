# SPDX-License-Identifier: Apache-2.0
"""Verbs that show: ps, inspect, info, version, port, top, stats."""
from table import row

ROWS = [
    row("inspect of nothing", "docker inspect nothere", "inspect"),
    row("inspect of nothing with a template", "docker inspect -f '{{.Id}}' nothere", "inspect -f"),
    row("ps of no containers", "docker ps", "ps"),
    row("ps -q of no containers", "docker ps -aq", "ps -a, ps -q"),
]
