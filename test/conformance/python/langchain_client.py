"""LangChain's ChatOpenAI, as a person uses it: langchain_client.py <base url> <key> <model>."""

import sys

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

base_url, key, model = sys.argv[1:]


def chat(**settings: object) -> ChatOpenAI:
    return ChatOpenAI(base_url=base_url, api_key=key, model=model, max_retries=0, **settings)


def said(words: str, directives: str = "") -> HumanMessage:
    return HumanMessage(f"{words}\n@sandbox delay=0 {directives}")


@tool
def get_weather(city: str) -> str:
    """Weather of a city."""
    return f"sunny in {city}"


class Weather(BaseModel):
    """Weather of a city."""

    city: str
    degrees: int
    dry: bool


def text() -> None:
    answer = chat(seed=7).invoke([said("Hello")])
    assert "Hello" in answer.text and answer.usage_metadata["output_tokens"] > 1, answer


def stream() -> None:
    pieces = [piece.text for piece in chat(stream_usage=True).stream([said("Hello")])]
    assert len(pieces) > 3 and "Hello" in "".join(pieces), pieces


def tool_loop() -> None:
    bound = chat().bind_tools([get_weather])
    question = said("Weather?", "tool")
    first = bound.invoke([question])
    call = first.tool_calls[0]
    result = ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"])
    assert "tool has answered" in bound.invoke([question, first, result]).text


def structured() -> None:
    answer = chat().with_structured_output(Weather).invoke([said("Weather")])
    assert isinstance(answer, Weather) and answer.city, answer


def responses() -> None:
    answer = chat(use_responses_api=True, store=False).invoke([said("Hello")])
    assert "Hello" in answer.text, answer


def responses_structured_stream() -> None:
    """LangChain parses a streamed answer only if the response repeats the requested format."""
    bound = chat(use_responses_api=True, store=False).with_structured_output(Weather)
    answers = list(bound.stream([said("Weather")]))
    assert isinstance(answers[-1], Weather) and answers[-1].city, answers


for check in (text, stream, tool_loop, structured, responses, responses_structured_stream):
    check()
    print(check.__name__)
