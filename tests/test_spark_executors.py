"""Executors may be processes of their own, and may die."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from spark_session import EXECUTORS, MARKS, MIN_SUPPORT, ROWS, K, are_same, frame_of

import discreet
import discreet.spark as far
from discreet import Merged, Transactions
from discreet.report import audit_json

pytestmark = MARKS
MASTER = EXECUTORS


@pytest.fixture(scope="module")
def frame(spark):
    return frame_of(spark, ROWS, "int32").cache()


def executors(spark):
    """Return the processes that are executors of a session."""
    driver = f":{spark.conf.get('spark.driver.port')}\0".encode()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if driver in path.read_bytes() and b"CoarseGrainedExecutorBackend" in path.read_bytes():
                yield int(path.parent.name)
        except OSError:  # it has ended meanwhile
            continue


def test_an_executor_that_dies_does_not_change_the_result(spark, frame, tmp_path):
    sign = tmp_path / "at work"

    def slow(batches):
        for batch in batches:
            sign.touch()
            time.sleep(1)
            yield batch

    rows = frame.mapInArrow(slow, frame.schema)
    found = []
    job = threading.Thread(target=lambda: found.append(far.mine(rows, min_support=MIN_SUPPORT, budget=0)))
    job.start()
    while not sign.exists() and job.is_alive():
        time.sleep(0.05)
    ours = set(executors(spark))  # all are up now
    os.kill(min(ours), signal.SIGKILL)
    job.join()
    assert are_same(found[0], discreet.mine(Merged.of(ROWS, MIN_SUPPORT), min_support=MIN_SUPPORT))
    assert min(ours) not in set(executors(spark))


def test_an_audit_in_two_processes_reports_the_same_bytes(frame):
    expected = b"".join(audit_json(discreet.audit(Transactions(ROWS), min_support=MIN_SUPPORT, k=K)))
    assert b"".join(audit_json(far.audit(frame, min_support=MIN_SUPPORT, k=K, budget=0))) == expected


def test_the_same_rows_lose_items_in_two_processes(frame):
    expected = discreet.hide(Transactions(ROWS), [ROWS[0][:2], ROWS[1][:1]], disclosure=0.4)
    found = far.hide(frame, [ROWS[0][:2], ROWS[1][:1]], disclosure=0.4, row="row")
    assert [frozenset(line["items"]) for line in found.frame.orderBy("row").collect()] == list(expected.transactions)
