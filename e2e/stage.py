"""Simulated accounts and a gateway in front of them, as real processes on loopback."""

import hashlib
import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

TARGET = Path(os.environ["AFFINITY_TARGET"])

# What clients present, and the names under which the gateway knows them.
TOKENS = {"red": "token-of-red-7f3a", "blue": "token-of-blue-c41d"}

CONFIG = """\
[server]
listen = "127.0.0.1:{port}"
admin = "127.0.0.1:{admin_port}"

[failover]
cooldown = "300ms"

[limits]
first_byte_timeout = "2s"
answer_timeout = "2s"
idle_timeout = "2s"
connect_timeout = "1s"
"""

CHANNEL = """
[[channels]]
name = "{name}"
base_url = "{base_url}"
dialects = ["openai-chat", "openai-responses", "anthropic"]
key_env = "{key_env}"
"""

CLIENT = """
[[clients]]
tenant = "{tenant}"
token_sha256 = "{token_sha256}"
"""


class Account:
    """One simulated account, steered through its control server."""

    def __init__(self, control, name, base_url):
        self.control = control
        self.name = name
        self.base_url = base_url
        self.key = f"sk-{name}"

    def fail(self, kind, **details):
        self._order("PUT", "fault", {"kind": kind, **details})

    def heal(self):
        self._order("DELETE", "fault")

    def stats(self):
        accounts = get_json(f"{self.control}/accounts")
        return next(account["stats"] for account in accounts if account["name"] == self.name)

    def received(self):
        return get_json(f"{self.control}/accounts/{self.name}/received")

    def _order(self, method, what, body=None):
        url = f"{self.control}/accounts/{self.name}/{what}"
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(url, data, method=method)):
            pass


class Stage:
    """The accounts, the gateway, and everything that the gateway wrote to its log."""

    def __init__(self, directory, accounts=3):
        self.log_path = Path(directory) / "gateway.log"
        self._accounts_process = subprocess.Popen(
            [TARGET / "examples" / "accounts", str(accounts)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started = json.loads(self._accounts_process.stdout.readline())
        self.accounts = [
            Account(started["control"], account["name"], account["base_url"])
            for account in started["accounts"]
        ]
        self.port, self.admin_port = free_port(), free_port()
        self._start_gateway(Path(directory) / "affinity.toml")

    @property
    def base_url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def admin_url(self):
        return f"http://127.0.0.1:{self.admin_port}"

    def account(self, name):
        return next(account for account in self.accounts if account.name == name)

    def others(self, name):
        return [account for account in self.accounts if account.name != name]

    def heal(self):
        """No faults, and no channel that still cools down after one."""
        for account in self.accounts:
            account.heal()
        time.sleep(0.35)

    def log(self):
        return self.log_path.read_text()

    def stop(self):
        self._gateway.terminate()
        code = self._gateway.wait(10)
        self._accounts_process.stdin.close()
        self._accounts_process.wait(10)
        return code

    def _start_gateway(self, config_path):
        config = CONFIG.format(port=self.port, admin_port=self.admin_port)
        environment = dict(os.environ)
        for number, account in enumerate(self.accounts):
            key_env = f"E2E_KEY_{number}"
            environment[key_env] = account.key
            config += CHANNEL.format(
                name=account.name, base_url=account.base_url, key_env=key_env
            )
        for tenant, token in TOKENS.items():
            digest = hashlib.sha256(token.encode()).hexdigest()
            config += CLIENT.format(tenant=tenant, token_sha256=digest)
        config_path.write_text(config)
        with self.log_path.open("w") as log:
            self._gateway = subprocess.Popen(
                [TARGET / "affinity", "serve", "--config", config_path],
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._wait_until_ready()

    def _wait_until_ready(self):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if self._gateway.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.admin_url}/readyz"):
                    return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.02)
        raise RuntimeError(f"the gateway did not start:\n{self.log()}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get_json(url):
    with urllib.request.urlopen(url) as response:
        return json.load(response)
