"""One conversation in each API, turn by turn, through the official clients.

A talk is called with a user's text and returns a Turn. It resends the whole history, as every
client does, and keeps the answer in it.
"""

from dataclasses import dataclass

MODEL = "sim-large"


@dataclass
class Turn:
    text: str
    prompt_tokens: int
    cached_tokens: int
    channel: str
    source: str
    headers: dict


def _turn(text, prompt, cached, headers):
    return Turn(
        text, prompt, cached, headers["x-affinity-channel"], headers["x-affinity-source"], headers
    )


class Chat:
    def __init__(self, client, system):
        self.client = client
        self.messages = [{"role": "system", "content": system}]

    def __call__(self, text):
        self.messages.append({"role": "user", "content": text})
        raw = self.client.chat.completions.with_raw_response.create(
            model=MODEL, messages=self.messages
        )
        completion = raw.parse()
        answer = completion.choices[0].message.content
        self.messages.append({"role": "assistant", "content": answer})
        usage = completion.usage
        cached = usage.prompt_tokens_details.cached_tokens
        return _turn(answer, usage.prompt_tokens, cached, raw.headers)


class StreamedChat(Chat):
    def __call__(self, text):
        self.messages.append({"role": "user", "content": text})
        raw = self.client.chat.completions.with_raw_response.create(
            model=MODEL,
            messages=self.messages,
            stream=True,
            stream_options={"include_usage": True},
        )
        answer = ""
        for chunk in raw.parse():
            usage = chunk.usage
            if chunk.choices:
                answer += chunk.choices[0].delta.content or ""
        self.messages.append({"role": "assistant", "content": answer})
        cached = usage.prompt_tokens_details.cached_tokens
        return _turn(answer, usage.prompt_tokens, cached, raw.headers)


class Responses:
    """Resends the items; nothing is kept at the account."""

    def __init__(self, client, system):
        self.client = client
        self.system = system
        self.items = []

    def __call__(self, text):
        self.items.append({"role": "user", "content": text})
        raw = self.client.responses.with_raw_response.create(
            model=MODEL, instructions=self.system, input=self.items, store=False
        )
        response = raw.parse()
        self.items.extend(item.to_dict() for item in response.output)
        usage = response.usage
        cached = usage.input_tokens_details.cached_tokens
        return _turn(response.output_text, usage.input_tokens, cached, raw.headers)


class Messages:
    """The breakpoint moves to the last message, as Anthropic's own clients do it."""

    def __init__(self, client, system):
        self.client = client
        self.system = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]
        self.messages = []

    def _request(self, text):
        self.messages.append({"role": "user", "content": text})
        marked = {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
        return {
            "model": MODEL,
            "max_tokens": 64,
            "system": self.system,
            "messages": [*self.messages[:-1], {"role": "user", "content": [marked]}],
        }

    def _answered(self, message, headers):
        answer = message.content[0].text
        self.messages.append({"role": "assistant", "content": answer})
        usage = message.usage
        cached = usage.cache_read_input_tokens
        prompt = usage.input_tokens + usage.cache_creation_input_tokens + cached
        return _turn(answer, prompt, cached, headers)

    def __call__(self, text):
        raw = self.client.messages.with_raw_response.create(**self._request(text))
        return self._answered(raw.parse(), raw.headers)


class StreamedMessages(Messages):
    def __call__(self, text):
        with self.client.messages.stream(**self._request(text)) as stream:
            message = stream.get_final_message()
            return self._answered(message, stream.response.headers)


TALKS = [Chat, StreamedChat, Responses, Messages, StreamedMessages]
