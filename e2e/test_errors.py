"""Errors come through intact: status, body, and what tells a client when to come back."""

import anthropic
import openai
import pytest
from stage import TOKENS
from talk import MODEL
from test_answers import direct_anthropic, direct_openai


def refused(call, **arguments):
    with pytest.raises((openai.APIStatusError, anthropic.APIStatusError)) as caught:
        call(**arguments)
    return caught.value


def test_invalid_openai_request_is_refused_in_the_accounts_words(stage, chat_client):
    ask = {"model": MODEL, "messages": []}
    ours = refused(chat_client.chat.completions.create, **ask)
    theirs = refused(direct_openai(stage.accounts[0]).chat.completions.create, **ask)
    assert isinstance(ours, openai.BadRequestError)
    assert ours.body == theirs.body
    assert ours.param == "messages"


def test_invalid_anthropic_request_is_refused_in_the_accounts_words(stage, anthropic_client):
    ask = {"model": MODEL, "max_tokens": 5, "messages": [{"role": "tool", "content": "x"}]}
    ours = refused(anthropic_client.messages.create, **ask)
    theirs = refused(direct_anthropic(stage.accounts[0]).messages.create, **ask)
    assert isinstance(ours, anthropic.BadRequestError)
    assert ours.body["error"] == theirs.body["error"]


def test_no_fail_over_for_the_clients_own_mistake(stage, chat_client):
    before = sum(account.stats()["requests"] for account in stage.accounts)
    refused(chat_client.chat.completions.create, model=MODEL, messages=[])
    assert sum(account.stats()["requests"] for account in stage.accounts) == before + 1


@pytest.mark.parametrize("status", [500, 503, 529])
def test_all_accounts_failing_shows_an_accounts_error(
    stage, chat_client, anthropic_client, prompt, status
):
    for account in stage.accounts:
        account.fail("status", status=status)
    messages = [{"role": "user", "content": prompt}]
    error = refused(chat_client.chat.completions.create, model=MODEL, messages=messages)
    assert error.status_code == status
    assert error.body["type"] == "server_error"
    error = refused(
        anthropic_client.messages.create, model=MODEL, max_tokens=5, messages=messages
    )
    assert error.status_code == status
    kind = "overloaded_error" if status == 529 else "api_error"
    assert error.body["error"]["type"] == kind


def test_all_accounts_limited_says_when_to_come_back(stage, chat_client, prompt):
    for account in stage.accounts:
        account.fail("rate_limited", retry_after_ms=300)
    messages = [{"role": "user", "content": prompt}]
    error = refused(chat_client.chat.completions.create, model=MODEL, messages=messages)
    assert isinstance(error, openai.RateLimitError)
    assert error.code == "rate_limit_exceeded"
    assert error.response.headers["retry-after"] == "1"


def test_all_accounts_down_is_a_gateway_error(stage, chat_client, prompt):
    for account in stage.accounts:
        account.fail("down")
    messages = [{"role": "user", "content": prompt}]
    error = refused(chat_client.chat.completions.create, model=MODEL, messages=messages)
    assert error.status_code in (502, 503)


def test_unknown_client_is_refused_before_any_account(stage, prompt):
    before = sum(account.stats()["requests"] for account in stage.accounts)
    client = openai.OpenAI(base_url=f"{stage.base_url}/v1", api_key="nobody", max_retries=0)
    messages = [{"role": "user", "content": prompt}]
    error = refused(client.chat.completions.create, model=MODEL, messages=messages)
    assert isinstance(error, openai.AuthenticationError)
    client = anthropic.Anthropic(base_url=stage.base_url, api_key="nobody", max_retries=0)
    error = refused(client.messages.create, model=MODEL, max_tokens=5, messages=messages)
    assert isinstance(error, anthropic.AuthenticationError)
    assert sum(account.stats()["requests"] for account in stage.accounts) == before


def test_client_retries_meet_a_healed_account(stage, prompt):
    """The clients' own retries work through the gateway."""
    for account in stage.accounts:
        account.fail("status", status=500, times=1)
    client = openai.OpenAI(
        base_url=f"{stage.base_url}/v1", api_key=TOKENS["red"], max_retries=2
    )
    messages = [{"role": "user", "content": prompt}]
    completion = client.chat.completions.create(model=MODEL, messages=messages)
    assert completion.choices[0].finish_reason == "stop"
