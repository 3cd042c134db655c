"""The OpenAI SDK for Python, as a person uses it: openai_sdk.py <base url> <key> <model>. Fails if an answer is not as the SDK expects."""

import asyncio
import sys

import openai
from pydantic import BaseModel

base_url, key, model = sys.argv[1:]
client = openai.OpenAI(base_url=base_url, api_key=key, max_retries=0)


def said(words: str, directives: str = "") -> dict:
    return {"role": "user", "content": f"{words}\n@sandbox delay=0 {directives}"}


def text() -> None:
    completion = client.chat.completions.create(model=model, messages=[said("Привет, мир!")])
    assert "Привет, мир!" in completion.choices[0].message.content, completion
    assert completion.usage.completion_tokens > 5
    assert completion._request_id, "no x-request-id"


def stream() -> None:
    """Without stream_options, each chunk has a choice, as tutorials assume."""
    chunks = list(client.chat.completions.create(model=model, messages=[said("Hello")], stream=True))
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert len(pieces) > 3 and "Hello" in "".join(pieces), pieces
    assert chunks[-1].choices[0].finish_reason == "stop"


def stream_usage() -> None:
    options = {"include_usage": True}
    chunks = list(
        client.chat.completions.create(model=model, messages=[said("Hello")], stream=True, stream_options=options)
    )
    assert chunks[-1].choices == [] and chunks[-1].usage.completion_tokens > 1, chunks[-1]


def tool_loop() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tools = [{"type": "function", "function": {"name": "get_weather", "parameters": schema}}]
    question = said("Weather?", "tool")
    with client.chat.completions.stream(model=model, messages=[question], tools=tools) as events:
        for _ in events:
            pass
        first = events.get_final_completion().choices[0].message
    call = first.tool_calls[0]
    assert call.function.name == "get_weather" and "Москва" in call.function.arguments, call
    result = {"role": "tool", "tool_call_id": call.id, "content": "sunny"}
    turns = [question, first.model_dump(exclude_none=True, exclude={"parsed"}), result]
    answer = client.chat.completions.create(model=model, messages=turns, tools=tools)
    assert "tool has answered" in answer.choices[0].message.content, answer


class Weather(BaseModel):
    city: str
    degrees: int
    dry: bool


def parsed() -> None:
    completion = client.chat.completions.parse(model=model, messages=[said("Weather")], response_format=Weather)
    assert completion.choices[0].message.parsed.city, completion


def response() -> None:
    answer = client.responses.create(model=model, input=said("Hello")["content"], store=False)
    assert "Hello" in answer.output_text and answer.usage.output_tokens > 1, answer
    assert answer._request_id, "no x-request-id"


def response_stream() -> None:
    with client.responses.stream(model=model, input=said("Hello")["content"], store=False) as events:
        deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
        final = events.get_final_response()
    assert len(deltas) > 3 and "".join(deltas) == final.output_text, deltas


def asynchronous() -> None:
    async def ask() -> str:
        async with openai.AsyncOpenAI(base_url=base_url, api_key=key, max_retries=0) as own:
            answers = await asyncio.gather(
                *(own.chat.completions.create(model=model, messages=[said(f"number {n}")]) for n in range(3))
            )
        return " ".join(answer.choices[0].message.content for answer in answers)

    answered = asyncio.run(ask())
    assert all(f"number {n}" in answered for n in range(3)), answered


def models() -> None:
    listed = client.models.list()
    assert listed.object == "list"
    one = next(row for row in listed.data if row.id == model)
    assert one.object == "model" and one.owned_by and one.created > 0, one
    assert client.models.retrieve(model).id == model


def left_out() -> None:
    """The gateway accepts a tuning field that it does not pass on, and names the field in a header."""
    raw = client.chat.completions.with_raw_response.create(
        model=model, messages=[said("Hello")], seed=7, logit_bias={"50256": -100}
    )
    assert "Hello" in raw.parse().choices[0].message.content
    assert "logit_bias" in raw.headers["x-gateway-left-out"], raw.headers


def errors() -> None:
    for directives, kind in [("error=429", openai.RateLimitError), ("error=529", openai.InternalServerError)]:
        try:
            client.chat.completions.create(model=model, messages=[said("x", directives)])
        except kind as refusal:
            assert refusal.request_id, refusal
        else:
            raise AssertionError(f"{directives} was not refused")
    try:
        client.chat.completions.create(model=model, messages=[said("x")], temperature=7)
    except openai.BadRequestError as refusal:
        assert refusal.param == "temperature", refusal
    else:
        raise AssertionError("a temperature of 7 was not refused")


checks = (
    text,
    stream,
    stream_usage,
    tool_loop,
    parsed,
    response,
    response_stream,
    asynchronous,
    models,
    left_out,
    errors,
)
for check in checks:
    check()
    print(check.__name__)
