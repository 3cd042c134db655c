"""The Anthropic SDK for Python, as a person uses it: anthropic_sdk.py <base url> <key> <model>. Fails if an answer is not as the SDK expects."""

import sys

import anthropic

base_url, key, model = sys.argv[1:]
client = anthropic.Anthropic(base_url=base_url, api_key=key, max_retries=0)


def said(words: str, directives: str = "") -> dict:
    return {"role": "user", "content": f"{words}\n@sandbox delay=0 {directives}"}


def text_of(message: anthropic.types.Message) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def text() -> None:
    message = client.messages.create(model=model, max_tokens=200, messages=[said("Привет, мир!")])
    assert "Привет, мир!" in text_of(message), text_of(message)
    assert message.usage.output_tokens > 5


def stream() -> None:
    with client.messages.stream(model=model, max_tokens=200, messages=[said("Hello")]) as events:
        pieces = list(events.text_stream)
        message = events.get_final_message()
    assert len(pieces) > 3 and "".join(pieces) == text_of(message)


def tool_loop() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tools = [{"name": "get_weather", "description": "Weather of a city", "input_schema": schema}]
    question = said("Weather?", "tool")
    with client.messages.stream(model=model, max_tokens=500, tools=tools, messages=[question]) as events:
        first = events.get_final_message()
    call = next(block for block in first.content if block.type == "tool_use")
    assert call.input == {"city": "Москва"}, call.input
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "sunny"}
    turns = [question, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    assert "tool has answered" in text_of(
        client.messages.create(model=model, max_tokens=500, tools=tools, messages=turns)
    )


def web_search() -> None:
    search = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
    question = said("Cities?")
    with client.messages.stream(model=model, max_tokens=2_000, tools=[search], messages=[question]) as events:
        first = events.get_final_message()
    call = next(block for block in first.content if isinstance(block, anthropic.types.ServerToolUseBlock))
    found = next(block for block in first.content if isinstance(block, anthropic.types.WebSearchToolResultBlock))
    assert call.input == {"query": "Cities?"} and found.tool_use_id == call.id
    assert all(isinstance(one, anthropic.types.WebSearchResultBlock) and one.encrypted_content for one in found.content)
    citations = [
        citation for block in first.content if block.type == "text" for citation in block.citations or []
    ]
    assert citations and all(
        isinstance(one, anthropic.types.CitationsWebSearchResultLocation) for one in citations
    ), citations
    assert {one.url for one in citations} <= {one.url for one in found.content}
    assert first.usage.server_tool_use.web_search_requests == 1
    turns = [question, {"role": "assistant", "content": first.content}, said("And now?", "search=0")]
    second = client.messages.create(model=model, max_tokens=2_000, tools=[search], messages=turns)
    assert "And now?" in text_of(second), text_of(second)


def error() -> None:
    try:
        client.messages.create(model=model, max_tokens=50, messages=[said("x", "error=529")])
    except anthropic.APIStatusError as refusal:
        assert refusal.status_code == 529, refusal
    else:
        raise AssertionError("was not refused")


for use in (text, stream, tool_loop, web_search, error):
    use()
    print(use.__name__)
