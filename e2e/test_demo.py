"""`affinity demo`: the whole thing on this machine."""

import json
import signal
import subprocess
import time
from xml.etree import ElementTree

from stage import TARGET

FIELDS = {
    "name",
    "requests",
    "cached_share",
    "cost_ratio",
    "ttft_p50_ms",
    "ttft_p99_ms",
    "max_mean_requests",
    "failovers",
    "errors",
}


def test_demo_reports_both_policies_within_half_a_minute(tmp_path):
    files = {name: tmp_path / f"demo.{name}" for name in ("json", "svg")}
    began = time.monotonic()
    done = subprocess.run(
        [TARGET / "affinity", "demo", "--conversations", "24"]
        + [argument for name, path in files.items() for argument in (f"--{name}", path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert time.monotonic() - began < 30
    report = json.loads(files["json"].read_text())
    even, sticky = report["policies"]
    assert set(even) == set(sticky) == FIELDS
    assert (even["name"], sticky["name"]) == ("round-robin", "affinity")
    assert even["errors"] == sticky["errors"] == 0
    assert sticky["cached_share"] > even["cached_share"] + 0.15
    assert sticky["cost_ratio"] < even["cost_ratio"]
    assert ElementTree.parse(files["svg"]).getroot().tag.endswith("svg")
    for row in ("first token, p99", "fail-overs", "account-8"):
        assert row in done.stdout


def test_demo_ends_on_interrupt():
    demo = subprocess.Popen([TARGET / "affinity", "demo"], stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    demo.send_signal(signal.SIGINT)
    _, errors = demo.communicate(timeout=5)
    assert (demo.returncode, errors) == (130, "")
