"""MySQL and MariaDB for tests: a server in a temporary folder, reached by a socket there, ended at exit.

Without the server's program, a test that needs it is skipped and says so.
"""

from __future__ import annotations

import atexit
import getpass
import os
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import pymysql
import pytest

PROGRAMS = {"MySQL": "mysqld", "MariaDB": "mariadbd"}
PACKAGES = {"MySQL": "Ubuntu: mysql-server-core-8.0", "MariaDB": "Debian: mariadb-server-core"}
OPTIONS = (
    "--skip-networking --skip-grant-tables --character-set-server=utf8mb4 --skip-log-bin "
    "--innodb-buffer-pool-size=16M --performance-schema=OFF"
)
MOST_SECONDS = 60


def connect(make: str, **settings: Any) -> Any:
    """A connection to a server of "MySQL" or "MariaDB"; `settings` are those of PyMySQL."""
    return pymysql.connect(unix_socket=_socket(make), database="test", **{"charset": "utf8mb4", **settings})


def find_program(make: str) -> str | None:
    """The program of the server, None where there is none. MariaDB's may be called mysqld as well."""
    program = shutil.which(PROGRAMS[make], path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))
    if program is None:
        return None
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return program if ("MariaDB" in version) == (make == "MariaDB") else None


@cache
def _socket(make: str) -> str:
    """Start the server, without any data; the path of its socket."""
    program = find_program(make)
    if program is None:
        pytest.skip(f"LEFT OUT: no {make} server ({PROGRAMS[make]}); the package on {PACKAGES[make]}")
    folder = tempfile.mkdtemp(prefix="clausal-sql-")  # a path of pytest may be too long for a socket
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    data, socket = f"{folder}/data", f"{folder}/socket"
    log = Path(folder, "log")
    Path(data).mkdir()
    command = [program, "--no-defaults", f"--datadir={data}", f"--user={getpass.getuser()}"]
    if make == "MySQL":  # MariaDB makes what it needs by itself
        command += ["--secure-file-priv=", "--mysqlx=OFF"]
        subprocess.run([*command, "--initialize-insecure"], stderr=subprocess.DEVNULL, check=True)
    command += [*OPTIONS.split(), f"--socket={socket}", f"--pid-file={folder}/pid"]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    atexit.register(_end, process)
    _wait_for(process, log)
    with pymysql.connect(unix_socket=socket) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE test")
    return socket


def _wait_for(process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + MOST_SECONDS
    while "ready for connections" not in log.read_text():
        if time.monotonic() > end or process.poll() is not None:
            raise RuntimeError(f"The database server did not start:\n{log.read_text()[-2000:]}")
        time.sleep(0.05)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(MOST_SECONDS)
