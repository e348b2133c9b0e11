# SPDX-License-Identifier: Apache-2.0
"""The evaluation of docs/slurm.md: contrib/slurm/eval.sbatch over a job array, as it is."""
import json
from pathlib import Path

import pytest

pytestmark = [pytest.mark.needs_root, pytest.mark.feature("userns")]

SBATCH = Path(__file__).parents[2] / "contrib/slurm/eval.sbatch"


def records(work):
    return [json.loads(line) for f in sorted((work / "results").iterdir()) for line in f.read_text().splitlines()]


def test_job_array(jobs, python_image):
    """Every sample is judged once, by whichever task; a second submission finds nothing to do."""
    work = jobs.box.work
    samples = [{"id": str(i), "code": f"print({i} // {i % 5})"} for i in range(24)]
    (work / "samples.jsonl").write_text("".join(json.dumps(s) + "\n" for s in samples))
    command = ["--wait", "--array=3-6", "--cpus-per-task=2", SBATCH]
    jobs.sbatch(*command, env={"IMAGE": str(python_image)})
    logs = "".join(f.read_text() for f in work.glob("eval-*.log"))
    assert logs == "", logs
    done = {r["id"]: r for r in records(work)}
    assert len(records(work)) == 24 and set(done) == {s["id"] for s in samples}
    assert len(list((work / "results").iterdir())) == 4
    for i in range(24):
        assert done[str(i)]["success"] == (i % 5 != 0), done[str(i)]
    assert done["7"]["stdout"] == "3\n" and done["5"]["error_summary"]["type"] == "ZeroDivisionError"
    jobs.sbatch(*command, env={"IMAGE": str(python_image)})
    assert len(records(work)) == 24
