export interface KnownQuestion {
  state: string;
  instructions: string;
  /** The first option is the true answer. */
  options: string[];
}

const topic = 'What is the message about?';
const topics = ['a late delivery', 'a payment', 'a technical problem', 'praise'];
const mood = 'What is the mood of the writer?';
const yesNo = (isYes: boolean) => (isYes ? ['yes', 'no'] : ['no', 'yes']);
const first = (options: readonly string[], truth: string) => [truth, ...options.filter((option) => option !== truth)];

const topicOf = (state: string, truth: string): KnownQuestion => ({
  state,
  instructions: topic,
  options: first(topics, truth),
});
const moodOf = (state: string, truth: string): KnownQuestion => ({
  state,
  instructions: mood,
  options: first(['angry', 'neutral', 'pleased'], truth),
});
const isIt = (state: string, instructions: string, isYes: boolean): KnownQuestion => ({
  state,
  instructions,
  options: yesNo(isYes),
});

export const labelledQuestions: readonly KnownQuestion[] = [
  topicOf('The parcel was promised for Monday, and today is Friday.', 'a late delivery'),
  topicOf('Курьер должен был приехать вчера, никто не приехал и не позвонил.', 'a late delivery'),
  topicOf('My card was charged twice for one order.', 'a payment'),
  topicOf('Деньги списались, а заказ так и не оплачен.', 'a payment'),
  topicOf('The app closes by itself as soon as I open a photo.', 'a technical problem'),
  topicOf('После обновления не могу войти: пишет «ошибка 500».', 'a technical problem'),
  topicOf('Thank you, this is the best shop that I know.', 'praise'),
  topicOf('Спасибо мастеру, всё сделал аккуратно и раньше срока.', 'praise'),
  topicOf(
    'Tracking has said "in transit" for nine days, although the shop says that it is sent by express.',
    'a late delivery',
  ),
  topicOf('The refund was announced last week, and my bank has not seen it.', 'a payment'),
  moodOf('I have had enough. This is the third time that you have lied to me!', 'angry'),
  moodOf('Сколько можно ждать? Вы издеваетесь?', 'angry'),
  moodOf('Please send the invoice to the address below.', 'neutral'),
  moodOf('Прошу сообщить номер договора.', 'neutral'),
  moodOf('What a lovely surprise, it arrived a day early!', 'pleased'),
  moodOf('Очень доволен покупкой, буду брать ещё.', 'pleased'),
  moodOf('The meeting is moved to three o’clock.', 'neutral'),
  moodOf('Well, that was a complete waste of my money.', 'angry'),
  isIt('The shop is open from nine to six, Monday to Friday.', 'Is the shop open on Sunday?', false),
  isIt('Магазин работает без выходных.', 'Is the shop open on Sunday?', true),
  isIt('All tickets for tonight are sold.', 'Can one still buy a ticket for tonight?', false),
  isIt('There are three rooms left for the weekend.', 'Can one still book a room for the weekend?', true),
  isIt(
    'The warranty covers two years from the day of purchase. It was bought three years ago.',
    'Does the warranty still hold?',
    false,
  ),
  isIt('Возврат возможен в течение 14 дней. Товар куплен неделю назад.', 'Can it still be returned?', true),
  isIt('She has lived in Tver since she was born.', 'Was she born in Tver?', true),
  isIt('Anna is older than Boris, and Boris is older than Clara.', 'Is Clara older than Anna?', false),
  isIt('Anna is older than Boris, and Boris is older than Clara.', 'Is Anna older than Clara?', true),
  isIt('The soup has carrots, onions and chicken.', 'Is the soup vegetarian?', false),
  isIt('В салате огурцы, помидоры и масло.', 'Is the salad vegetarian?', true),
  isIt('The train leaves at 14:05. It is 14:20.', 'Has the train left?', true),
  isIt('Срок действия паспорта — до 2024 года. Сейчас 2026 год.', 'Is the passport valid?', false),
  isIt('The report says that sales grew in each quarter.', 'Did sales fall in any quarter?', false),
  { state: 'Two plus two times three.', instructions: 'What is the result?', options: ['8', '12', '10', '7'] },
  { state: 'Половина от половины ста.', instructions: 'What is the result?', options: ['25', '50', '20', '75'] },
  {
    state: 'Bonjour, où est la gare ?',
    instructions: 'Which language is this?',
    options: ['French', 'Italian', 'Spanish', 'Portuguese'],
  },
  {
    state: 'Доброго ранку, як справи?',
    instructions: 'Which language is this?',
    options: ['Ukrainian', 'Russian', 'Bulgarian', 'Serbian'],
  },
  {
    state: 'The doctor asked him to fast before the test.',
    instructions: 'What does "fast" mean here?',
    options: ['eat nothing', 'be quick', 'be firm'],
  },
  {
    state: 'He put his savings into a bank on the main square.',
    instructions: 'What does "bank" mean here?',
    options: ['a house of money', 'the side of a river', 'a row of seats'],
  },
  {
    state: 'Замок стоит на горе с двенадцатого века.',
    instructions: 'What does "замок" mean here?',
    options: ['a castle', 'a lock', 'a zip'],
  },
  {
    state: 'A table of four legs and a stool of three legs stand in the room.',
    instructions: 'How many legs are there?',
    options: ['7', '12', '4', '3'],
  },
];
