"""Nothing crosses the gateway that must not: keys, credentials, hop-by-hop headers, prompts."""

import http.client
import json
import urllib.request

import pytest
from stage import TOKENS
from talk import MODEL

HOP_BY_HOP = ["keep-alive", "te", "trailer", "upgrade", "proxy-authorization", "x-hop"]


def ask(stage, prompt, headers):
    """One raw request with exactly these headers besides the usual ones."""
    connection = http.client.HTTPConnection("127.0.0.1", stage.port)
    body = json.dumps({"model": MODEL, "messages": [{"role": "user", "content": prompt}]})
    connection.putrequest("POST", "/v1/chat/completions")
    usual = {
        "authorization": f"Bearer {TOKENS['red']}",
        "content-type": "application/json",
        "content-length": str(len(body)),
    }
    for name, value in {**usual, **headers}.items():
        connection.putheader(name, value)
    connection.endheaders(body.encode())
    response = connection.getresponse()
    answer = response.read().decode()
    connection.close()
    assert response.status == 200, answer
    account = stage.account(response.headers["x-affinity-channel"])
    return response, answer, dict(account.received()[-1]["headers"])


def test_account_sees_its_own_key_and_no_client_credentials(stage, prompt):
    response, _, upstream = ask(stage, prompt, {"x-api-key": TOKENS["blue"], "api-key": "k"})
    account = stage.account(response.headers["x-affinity-channel"])
    assert upstream["authorization"] == f"Bearer {account.key}"
    for name, value in upstream.items():
        assert "token-of" not in value, name
    assert "x-api-key" not in upstream
    assert "api-key" not in upstream


def test_hop_by_hop_and_own_headers_stop_at_the_gateway(stage, prompt):
    _, _, upstream = ask(stage, prompt, {
        "connection": "keep-alive, x-hop",
        "x-hop": "1",
        "keep-alive": "timeout=5",
        "te": "trailers",
        "proxy-authorization": "Basic abc",
        "x-affinity-session": "s-1",
        "x-affinity-channel": "account-1",
        "x-client-request-id": "kept",
        "user-agent": "kept/1",
    })
    for name in HOP_BY_HOP:
        assert name not in upstream
    assert not [name for name in upstream if name.startswith("x-affinity-")]
    assert upstream["x-client-request-id"] == "kept"
    assert upstream["user-agent"] == "kept/1"


def test_client_cannot_choose_a_channel(stage, prompt):
    channels = set()
    for number in range(16):
        headers = {"x-affinity-channel": "account-1"}
        response, _, _ = ask(stage, f"{prompt} {number}", headers)
        channels.add(response.headers["x-affinity-channel"])
    assert len(channels) > 1


def test_keys_do_not_reach_the_client(stage, prompt):
    response, answer, _ = ask(stage, prompt, {})
    assert "sk-account" not in answer + str(response.headers)


@pytest.mark.parametrize("fault", ["status", "down"])
def test_keys_do_not_reach_the_client_in_errors(stage, chat_client, prompt, fault):
    details = {"status": 500} if fault == "status" else {}
    for account in stage.accounts:
        account.fail(fault, **details)
    with pytest.raises(Exception) as caught:
        chat_client.chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": prompt}]
        )
    response = caught.value.response
    assert "sk-account" not in response.text + str(response.headers)
    for account in stage.accounts:
        assert account.base_url.split("//")[1] not in response.text


def test_log_and_metrics_hold_no_secret_and_no_prompt(stage, prompt):
    session = "session-4711-secret"
    ask(stage, prompt, {"x-affinity-session": session})
    with urllib.request.urlopen(f"{stage.admin_url}/metrics") as response:
        metrics = response.read().decode()
    assert "account-1" in metrics
    for secret in [session, prompt[:16], "word-", "sk-account", *TOKENS.values()]:
        assert secret not in stage.log()
        assert secret not in metrics
