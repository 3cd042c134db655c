import type { SandboxPage } from './page.ts';

export const englishPages: readonly SandboxPage[] = [
  {
    url: 'https://corpus.example/en/moscow',
    title: 'Moscow, capital of Russia',
    published: '2026-03-02',
    text: 'Moscow is the capital and the most populous city of Russia. It lies on the Moskva River. A chronicle first mentions it in 1147. More than 13 million people live there. The Kremlin and Red Square are at its centre.',
  },
  {
    url: 'https://corpus.example/en/baikal',
    title: 'Lake Baikal',
    published: '2026-01-15',
    text: 'Lake Baikal in Siberia is the deepest lake on Earth, 1,642 metres at its deepest. It holds about a fifth of the unfrozen fresh water of the world. The Angara is the only river that flows out of it. The Baikal seal lives nowhere else.',
  },
  {
    url: 'https://corpus.example/en/rouble',
    title: 'The rouble and the kopeck',
    published: '2026-02-10',
    text: 'The rouble is the currency of Russia. One rouble is a hundred kopecks. Its sign, ₽, was adopted in 2013. In 1704 Russia became one of the first countries with a decimal currency, when the rouble was set at a hundred kopecks.',
  },
  {
    url: 'https://corpus.example/en/tea',
    title: 'Tea and how it is made',
    published: '2025-12-05',
    text: 'Green and black tea come from the same plant, Camellia sinensis. Leaves of black tea are oxidised; for green tea, heat stops the oxidation early. Green tea is usually brewed with water of about 80 degrees Celsius. Tea is the most widely drunk beverage after water.',
  },
  {
    url: 'https://corpus.example/en/gagarin',
    title: 'Yuri Gagarin, the first human in space',
    published: '2026-04-12',
    text: 'Yuri Gagarin was the first human in space. On 12 April 1961 his spacecraft Vostok 1 made one orbit of the Earth. The flight took 108 minutes. It started from Baikonur in Kazakhstan.',
  },
  {
    url: 'https://corpus.example/en/chess',
    title: 'Chess: the board and the pieces',
    published: '2025-10-01',
    text: 'A chess board has 64 squares. Each player has sixteen pieces: a king, a queen, two rooks, two bishops, two knights and eight pawns. The game ends when a king is checkmated. A pawn that reaches the last rank is promoted.',
  },
  {
    url: 'https://corpus.example/en/metro',
    title: 'The Moscow Metro',
    published: '2026-05-15',
    text: 'The Moscow Metro opened on 15 May 1935. Its first line ran from Sokolniki to Park Kultury. The Circle line was completed in 1954. Several stations are protected as monuments of architecture.',
  },
  {
    url: 'https://docs.corpus.example/en/server-sent-events',
    title: 'Server-sent events (SSE)',
    published: '2026-07-01',
    text: 'Server-sent events are a stream of texts over one HTTP response of the type text/event-stream. A blank line ends an event; its fields are event, data, id and retry. Lines that begin with a colon are comments, often used as pings. Browsers read such streams with EventSource and reconnect by themselves.',
  },
  {
    url: 'https://docs.corpus.example/en/dynamodb',
    title: 'DynamoDB in short',
    published: '2026-06-11',
    text: 'DynamoDB is a key-value and document database of AWS. An item has at most 400 KB. A table has a partition key and perhaps a sort key. A transaction covers up to 100 items, all or nothing. Conditional writes fail instead of overwriting what has changed.',
  },
  {
    url: 'https://docs.corpus.example/en/token-billing',
    title: 'Token billing of language models',
    published: '2026-06-18',
    text: 'Language models are billed by the token, a piece of text of a few characters. Prompt tokens and completion tokens have separate prices, and completions usually cost more. Tokens read from a cache cost less. Thinking that is not shown is billed as output.',
  },
  {
    url: 'https://docs.corpus.example/en/utf-8',
    title: 'UTF-8, an encoding of Unicode',
    published: '2026-05-05',
    text: 'UTF-8 encodes every character of Unicode in one to four bytes. ASCII characters take one byte, Cyrillic letters two, most emoji four. A decoder of a stream must keep the bytes of a character that is cut at the end of a chunk.',
  },
  {
    url: 'https://docs.corpus.example/en/http/status-429',
    title: 'HTTP status 429: Too Many Requests',
    published: '2026-04-04',
    text: 'Status 429 says that a client has sent too many requests in some time. RFC 6585 defines it. The header Retry-After may say how long to wait. Clients should wait longer after each refusal, with some chance in it.',
  },
  {
    url: 'https://news.corpus.example/en/2026/aurora',
    title: 'What makes the aurora green',
    published: '2026-10-30',
    text: 'The aurora appears where charged particles of the solar wind reach the upper atmosphere. Oxygen at about a hundred kilometres makes its green light. Nitrogen adds blue and purple. It is seen most often near the polar circles.',
  },
];
