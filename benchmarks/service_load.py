"""`clausal serve` under load on this computer: `make bench-service` (about four minutes at most).

A scorecard of the heart disease data is served on a free port of 127.0.0.1, and a few clients with one
connection each ask it for predictions: first bodies of one row, then of 1,000 rows. Printed: requests and
rows per second, the median and the 99th percentile of the time of a request, the processor time that the
service took per request, and its memory at the beginning and the end of each part. Every answer must have
status 200; the first ones are compared with the model. It stops by itself: after `--requests`, or after
`--seconds`, whichever comes first.
"""

import argparse
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from clausal import RuleClassifier
from clausal.datasets import load_heart_disease

HOST, N_CLIENTS, WARM_UP = "127.0.0.1", 4, 200
PROGRAM = [sys.executable, "-c", "from clausal.cli import main; main()"]


def free_port():
    with socket.socket() as found:
        found.bind((HOST, 0))
        return found.getsockname()[1]


def start(folder, model):
    """The service in another process, once it answers; and its port."""
    path, port = Path(folder, "model.json"), free_port()
    model.save(path)
    service = subprocess.Popen([*PROGRAM, "serve", str(path), "--port", str(port), "--quiet"])
    for _ in range(600):
        try:
            socket.create_connection((HOST, port), 1).close()
            return service, port
        except OSError:
            time.sleep(0.1)
    service.kill()
    raise SystemExit("The service did not start within a minute.")


def memory_of(process):
    """Resident memory in MiB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def seconds_of(process):
    """Processor time."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask(port, bodies, expected, n_requests, end):
    """Send bodies in turn until the end; the time of each request."""
    connection, times = http.client.HTTPConnection(HOST, port, timeout=60), []
    for number in range(n_requests):
        begin = time.perf_counter()
        if begin > end:
            break
        connection.request("POST", "/predict", bodies[number % len(bodies)])
        answer = connection.getresponse()
        content = answer.read()
        times.append(time.perf_counter() - begin)
        if answer.status != 200 or (number < len(bodies) and labels_of(content) != expected[number]):
            raise SystemExit(f"A wrong answer: {answer.status} {content[:200]!r}")
    connection.close()
    return times


def labels_of(content):
    return [row["label"] for row in json.loads(content)["predictions"]]


def load(service, port, rows, n_requests, seconds):
    """Requests from all clients at once; rows is a list of lists of (row, label)."""
    bodies = [json.dumps({"rows": [row for row, _ in body]}).encode() for body in rows]
    expected = [[label for _, label in body] for body in rows]
    ask(port, bodies, expected, min(WARM_UP, n_requests // 10), time.perf_counter() + seconds)
    before, used, begin = memory_of(service.pid), seconds_of(service.pid), time.perf_counter()
    with ThreadPoolExecutor(N_CLIENTS) as clients:
        asked = [
            clients.submit(ask, port, bodies, expected, n_requests // N_CLIENTS, begin + seconds)
            for _ in range(N_CLIENTS)
        ]
        times = np.concatenate([each.result() for each in asked])
    wall, n = time.perf_counter() - begin, len(times)
    median, high = np.quantile(times, [0.5, 0.99]) * 1000
    spent, size = (seconds_of(service.pid) - used) / n * 1000, len(rows[0])
    print(
        f"{n:,} bodies of {size:,} rows by {N_CLIENTS} clients in {wall:.0f} s: {n / wall:,.0f} requests and "
        f"{n * size / wall:,.0f} rows per second; median {median:.1f} ms, 99th percentile {high:.1f} ms; "
        f"{spent:.2f} ms of processor time per request; "
        f"memory {before:.1f} MiB before, {memory_of(service.pid):.1f} MiB after",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--requests", type=int, default=100_000, help="of single rows; a 200th of it of 1,000 rows"
    )
    parser.add_argument("--seconds", type=float, default=180, help="at most, for each of the two parts")
    options = parser.parse_args()
    X, y = load_heart_disease(return_X_y=True, as_frame=True)
    model = RuleClassifier(max_literals=12, random_state=0).fit(X, y)
    plain = X.astype(object).where(X.notna(), None).to_dict("records")
    labelled = list(zip(plain, model.predict(X).tolist(), strict=True))
    many = [labelled[k % len(labelled)] for k in range(1000)]
    with tempfile.TemporaryDirectory() as folder:
        service, port = start(folder, model)
        try:
            load(service, port, [[pair] for pair in labelled], options.requests, options.seconds)
            load(service, port, [many], options.requests // 200, options.seconds / 3)
        finally:
            service.terminate()
            service.wait(20)


if __name__ == "__main__":
    main()
