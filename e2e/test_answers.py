"""Answers come through as the account gave them: whole, streamed, with tools."""

import asyncio
import contextlib
import time

import anthropic
import openai
import pytest
from stage import TOKENS
from talk import MODEL

PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}


def direct_openai(account):
    return openai.OpenAI(base_url=f"{account.base_url}/v1", api_key=account.key, max_retries=0)


def direct_anthropic(account):
    return anthropic.Anthropic(base_url=account.base_url, api_key=account.key, max_retries=0)


# What differs between two answers to the same request.
VOLATILE = {"id", "created", "created_at", "usage"}


def lasting(answer):
    return {name: value for name, value in answer.to_dict().items() if name not in VOLATILE}


@contextlib.contextmanager
def broken_transfer():
    """An answer that does not end well; older clients let the HTTP library's error through."""
    with pytest.raises(Exception) as caught:
        yield
    assert not isinstance(caught.value, (openai.APIStatusError, StopIteration))


def test_chat_answer_is_the_accounts_own(stage, chat_client, prompt):
    ask = {"model": MODEL, "messages": [{"role": "user", "content": prompt}]}
    raw = chat_client.chat.completions.with_raw_response.create(**ask)
    account = stage.account(raw.headers["x-affinity-channel"])
    assert raw.headers["openai-organization"] == account.name
    direct = direct_openai(account).chat.completions.create(**ask)
    assert lasting(raw.parse()) == lasting(direct)


def test_anthropic_answer_is_the_accounts_own(stage, anthropic_client, prompt):
    ask = {
        "model": MODEL,
        "max_tokens": 5,
        "messages": [{"role": "user", "content": prompt}],
    }
    raw = anthropic_client.messages.with_raw_response.create(**ask)
    account = stage.account(raw.headers["x-affinity-channel"])
    answer = raw.parse()
    assert answer.stop_reason == "max_tokens"
    assert lasting(answer) == lasting(direct_anthropic(account).messages.create(**ask))


def test_chat_stream_adds_up_to_the_plain_answer(chat_client, prompt):
    ask = {"model": MODEL, "messages": [{"role": "user", "content": prompt}]}
    plain = chat_client.chat.completions.create(**ask)
    chunks = list(chat_client.chat.completions.create(**ask, stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert text == plain.choices[0].message.content
    assert chunks[-1].choices[0].finish_reason == "stop"
    # Usage was not asked for, so none was added on the way.
    assert all(chunk.usage is None for chunk in chunks)


def test_responses_stream_adds_up_to_the_plain_answer(chat_client, prompt):
    plain = chat_client.responses.create(model=MODEL, input=prompt)
    with chat_client.responses.stream(model=MODEL, input=prompt) as stream:
        deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
        final = stream.get_final_response()
    assert "".join(deltas) == final.output_text == plain.output_text
    assert final.usage.input_tokens == plain.usage.input_tokens


def test_anthropic_stream_adds_up_to_the_plain_answer(anthropic_client, prompt):
    ask = {
        "model": MODEL,
        "max_tokens": 64,
        "messages": [{"role": "user", "content": prompt}],
    }
    plain = anthropic_client.messages.create(**ask)
    with anthropic_client.messages.stream(**ask) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert text == final.content[0].text == plain.content[0].text
    assert final.usage.output_tokens == plain.usage.output_tokens


def test_async_client_streams(stage, prompt):
    async def ask():
        base_url = f"{stage.base_url}/v1"
        async with openai.AsyncOpenAI(base_url=base_url, api_key=TOKENS["red"]) as client:
            messages = [{"role": "user", "content": prompt}]
            stream = await client.chat.completions.create(
                model=MODEL, messages=messages, stream=True
            )
            return [chunk async for chunk in stream]

    chunks = asyncio.run(ask())
    assert chunks[-1].choices[0].finish_reason == "stop"


def test_events_arrive_while_the_answer_is_not_complete(stage, chat_client, prompt):
    for account in stage.accounts:
        account.fail("stall", after_events=3)
    messages = [{"role": "user", "content": prompt}]
    with chat_client.chat.completions.create(
        model=MODEL, messages=messages, stream=True
    ) as stream:
        heard = [chunk for _, chunk in zip(range(3), stream)]
        assert len(heard) == 3
        assert all(chunk.choices[0].finish_reason is None for chunk in heard)
        # Nothing more comes: past the idle timeout the client hears of it.
        with broken_transfer():
            next(stream)


def test_break_in_mid_stream_reaches_the_client(stage, chat_client, prompt):
    for account in stage.accounts:
        account.fail("reset", after_events=3)
    before = sum(account.stats()["requests"] for account in stage.accounts)
    messages = [{"role": "user", "content": prompt}]
    with broken_transfer():
        list(chat_client.chat.completions.create(model=MODEL, messages=messages, stream=True))
    after = sum(account.stats()["requests"] for account in stage.accounts)
    assert after == before + 1, "never repeated after a byte went to the client"


def test_client_that_leaves_cancels_upstream(stage, chat_client, prompt):
    for account in stage.accounts:
        account.fail("stall", after_events=3)
    messages = [{"role": "user", "content": prompt}]
    stream = chat_client.chat.completions.create(model=MODEL, messages=messages, stream=True)
    next(iter(stream))
    before = sum(account.stats()["cancelled"] for account in stage.accounts)
    stream.close()
    deadline = time.monotonic() + 2
    while sum(account.stats()["cancelled"] for account in stage.accounts) == before:
        assert time.monotonic() < deadline, "the account still sends to nobody"
        time.sleep(0.02)


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
def test_chat_tools_round_trip(chat_client, prompt, streamed):
    messages = [{"role": "user", "content": prompt}]
    function = {"name": "weather", "description": "looks it up", "parameters": PARAMETERS}
    ask = {"model": MODEL, "tools": [{"type": "function", "function": function}]}

    def complete():
        if not streamed:
            return chat_client.chat.completions.create(messages=messages, **ask)
        with chat_client.chat.completions.stream(
            messages=messages, stream_options={"include_usage": True}, **ask
        ) as stream:
            return stream.get_final_completion()

    first = complete()
    assert first.choices[0].finish_reason == "tool_calls"
    call = first.choices[0].message.tool_calls[0]
    assert call.function.name == "weather"
    messages.append({
        "role": "assistant",
        "tool_calls": [{
            "id": call.id,
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }],
    })
    messages.append({"role": "tool", "tool_call_id": call.id, "content": "warm"})
    second = complete()
    assert second.choices[0].finish_reason == "stop"
    assert second.usage.prompt_tokens_details.cached_tokens > first.usage.prompt_tokens - 128


def test_responses_tools_round_trip(chat_client, prompt):
    items = [{"role": "user", "content": prompt}]
    tools = [{"type": "function", "name": "weather", "parameters": PARAMETERS, "strict": False}]
    ask = {"model": MODEL, "tools": tools, "store": False}
    with chat_client.responses.stream(input=items, **ask) as stream:
        first = stream.get_final_response()
    call = first.output[0]
    assert call.type == "function_call"
    items.append({
        "type": "function_call",
        "call_id": call.call_id,
        "name": call.name,
        "arguments": call.arguments,
    })
    items.append({"type": "function_call_output", "call_id": call.call_id, "output": "warm"})
    second = chat_client.responses.create(input=items, **ask)
    assert second.output_text
    assert second.usage.input_tokens_details.cached_tokens > first.usage.input_tokens - 128


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
def test_anthropic_tools_round_trip(anthropic_client, prompt, streamed):
    messages = [{"role": "user", "content": prompt}]
    ask = {
        "model": MODEL,
        "max_tokens": 64,
        "tools": [{"name": "weather", "input_schema": PARAMETERS}],
        "cache_control": {"type": "ephemeral"},
    }

    def complete():
        if not streamed:
            return anthropic_client.messages.create(messages=messages, **ask)
        with anthropic_client.messages.stream(messages=messages, **ask) as stream:
            return stream.get_final_message()

    first = complete()
    assert first.stop_reason == "tool_use"
    call = first.content[0]
    messages.append({
        "role": "assistant",
        "content": [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}],
    })
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "warm"}
    messages.append({"role": "user", "content": [result]})
    second = complete()
    assert second.stop_reason == "end_turn"
    assert second.usage.cache_read_input_tokens == first.usage.cache_creation_input_tokens


def test_side_calls_pass_through(chat_client, anthropic_client, prompt):
    messages = [{"role": "user", "content": prompt}]
    counted = anthropic_client.messages.count_tokens(model=MODEL, messages=messages)
    assert counted.input_tokens > 1000
    assert chat_client.models.list().object == "list"
