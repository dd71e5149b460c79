"""Conversations stay on their account, and their usage shows it."""

import pytest
from stage import TOKENS
from talk import TALKS, Chat, Messages


@pytest.fixture(params=TALKS, ids=lambda talk: talk.__name__)
def talk(request, chat_client, anthropic_client, prompt):
    ours = issubclass(request.param, Messages)
    return request.param(anthropic_client if ours else chat_client, prompt)


def test_every_later_turn_is_sticky_and_cached(talk):
    turns = [talk(f"question {number}") for number in range(5)]
    assert len({turn.channel for turn in turns}) == 1
    assert turns[0].cached_tokens == 0
    for earlier, later in zip(turns, turns[1:]):
        assert later.source == "memory"
        # All of the last prompt but less than a step of 128 tokens.
        assert later.cached_tokens > earlier.prompt_tokens - 128


def test_conversation_moves_once_and_stays_when_its_account_fails(stage, talk):
    home = talk("first").channel
    talk("second")
    stage.account(home).fail("down")
    moved = talk("third, with the account down")
    assert moved.channel != home
    assert moved.cached_tokens == 0
    stage.heal()
    stayed = [talk(f"later {number}") for number in range(2)]
    assert {turn.channel for turn in stayed} == {moved.channel}
    assert stayed[0].cached_tokens > moved.prompt_tokens - 128
    assert stayed[1].cached_tokens > stayed[0].prompt_tokens - 128


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 500},
        {"kind": "status", "status": 529},
        {"kind": "rate_limited", "retry_after_ms": 300},
        {"kind": "hang"},
    ],
    ids=lambda fault: str(fault.get("status", fault["kind"])),
)
def test_no_fault_before_the_answer_reaches_the_client(stage, chat_client, prompt, fault):
    talk = Chat(chat_client, prompt)
    home = talk("first").channel
    stage.account(home).fail(times=1, **fault)
    assert talk("second").channel != home


def test_conversations_spread_over_the_accounts(chat_client, prompt):
    channels = {
        Chat(chat_client, f"{prompt} {number}")("hello").channel for number in range(24)
    }
    assert len(channels) == 3


def test_client_session_id_decides(chat_client, prompt):
    session = {"x-claude-code-session-id": "0b9d6bb2-5f0e-4f5e-9d3e-6d6a3f6f8a10"}
    client = chat_client.with_options(default_headers=session)
    turns = [Chat(client, f"{prompt} {number}")("hello") for number in range(8)]
    assert len({turn.channel for turn in turns}) == 1
    assert [turn.source for turn in turns] == ["session-new"] + ["session"] * 7


def test_tenants_do_not_share_memories(chat_client, prompt):
    other = chat_client.with_options(api_key=TOKENS["blue"])
    red, blue = Chat(chat_client, prompt), Chat(other, prompt)
    red("same opener")
    blue.messages = [*red.messages]
    assert blue("same question").source == "opener"
    assert red("same question").source == "memory"
