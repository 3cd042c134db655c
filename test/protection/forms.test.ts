import { describe, expect, it } from 'vitest';
import { findSensitive } from '../../lambdas/protection/find/find.ts';
import { sensitiveCategories } from '../../lambdas/store/accounts/sensitive-data.ts';

const all = new Set(sensitiveCategories);
const valuesIn = (text: string) => findSensitive(text, all).map(({ start, end }) => text.slice(start, end));

/** An earlier version missed these values, found them with too many characters, or found values in texts without any. */
describe('detection', () => {
  it.each([
    ['an AWS id of letters alone', 'id AKIAQWERTYUIOPASDFGH here', ['AKIAQWERTYUIOPASDFGH']],
    [
      'a password after an address with digits',
      'Password for r2d2@alpha.dev: zuioM3y3vS9M',
      ['r2d2@alpha.dev', 'zuioM3y3vS9M'],
    ],
    [
      'a password after a Cyrillic address',
      'Пароль от почта@пример.рф: Vesna-2031!',
      ['почта@пример.рф', 'Vesna-2031!'],
    ],
    ['an address in italics', 'Write to _ann.lee@mail.example_ today', ['ann.lee@mail.example']],
    ['an address in strong text', '__ann@mail.example__', ['ann@mail.example']],
    ['an address in the name of a file', 'see vasya@mail.ru.pdf', ['vasya@mail.ru']],
    ['an address in the address of a file', 'https://x.example/ann77@mail.example.pdf', ['ann77@mail.example']],
    ['an address in the name of an archive', 'ann@mail.example.tar.gz', ['ann@mail.example.tar']],
    ['an address before a sentence without a space', 'To ann@mail.example.2 files follow', ['ann@mail.example']],
    [
      'an address before a hyphen',
      'ann@mail.example-2 and ann@my-mail.example.-x',
      ['ann@mail.example', 'ann@my-mail.example'],
    ],
    ['an address with the number of a note', 'ann@mail.example1', ['ann@mail.example']],
    ['an address of a domain in ASCII', 'ann@xn--e1afmkfd.xn--p1ai.', ['ann@xn--e1afmkfd.xn--p1ai']],
    ['an address of a machine in the name of a file', '5.188.62.140.log', ['5.188.62.140']],
    ['a phone before a sentence without a space', '+7 916 204-18-33.5 minutes', ['+7 916 204-18-33']],
    ['a card in the name of a file', '4111111111111111.pdf', ['4111111111111111']],
    ['an address for bounced mail', 'bounce+4417=ada@lists.example.org', ['bounce+4417=ada@lists.example.org']],
    [
      'a token of an address, and not its other parameters',
      'https://a.example/cb?token=8TveQ2mZp91xKd7Lw3Rt&page=2',
      ['8TveQ2mZp91xKd7Lw3Rt'],
    ],
    ['a number after a later heading', 'inn,name and then ИНН 5843963244', ['5843963244']],
    ['a number of an entrepreneur', 'ИП Мельник (500100732259), счёт', ['500100732259']],
    ['numbers below their heading', 'name;ИНН\nРога;7707083893\nКопыта;7728168971', ['7707083893', '7728168971']],
    ['passports below their heading', '| Имя | Паспорт |\n|---|---|\n| Анна | 4510 123456 |', ['4510 123456']],
    ['a passport with a named number', 'серия паспорта 4510, номер паспорта 123456', ['4510, номер паспорта 123456']],
    ['two passwords of a sentence', 'password changed from Vesna-2031! to Osen-2032!', ['Vesna-2031!', 'Osen-2032!']],
    ['a password in bold', '**Password:** **Kd7-Lw3Rt**', ['Kd7-Lw3Rt']],
    ['a PIN', 'my pin for the safe in room 412 is 905173', ['905173']],
    ['both PINs of a change', 'The alarm PIN changed from 1946 to 7302 today', ['1946', '7302']],
    ['a password before its name', 'Zaq!2wsxKot — это пароль от домена', ['Zaq!2wsxKot']],
    ['a password in the sentence that follows', 'Кто менял пароль у svc_backup? Был Bkp$Veeam2022', ['Bkp$Veeam2022']],
    ['a password of SQL', "CREATE USER 'a'@'%' IDENTIFIED BY 'gr@f_Re4d0nly';", ['gr@f_Re4d0nly']],
    ['the default value of a variable', "password: process.env.X || 'rls-Yantar-603'", ['rls-Yantar-603']],
    [
      'a phrase that restores a wallet',
      `seed phrase: ${'orbit panel sugar '.repeat(4).trim()}`,
      ['orbit panel sugar '.repeat(4).trim()],
    ],
    ['passports of one sentence', 'паспорта: 2809 761140 и 2811 093356', ['2809 761140', '2811 093356']],
    ['a passport in fields', '{"passport_series":"4012","issued":"2013","passport_number":"556781"}', ['556781']],
    [
      'no IP address in the versions of an upgrade',
      'firmware 2.14.0.7 → 2.15.1.0, host 5.188.62.140',
      ['5.188.62.140'],
    ],
    ['a phone number after its keyword', 'тел.89261142093 Ирина', ['89261142093']],
    ['a number of a city after a keyword', 'тел. 84951234567, телефон 73432112233', ['84951234567', '73432112233']],
    ['phone numbers of a list', '1. 8 903 123 45 67\n2) 8 (916) 765-43-21', ['8 903 123 45 67', '8 (916) 765-43-21']],
    [
      'phone numbers with only a space in between',
      '8 903 123-45-67 8 916 765-43-21, (212) 555-1234 (212) 555-9876',
      ['8 903 123-45-67', '8 916 765-43-21', '(212) 555-1234', '(212) 555-9876'],
    ],
    [
      'a phone number after other numbers',
      '15.01.2026 8 903 123-45-67, flat 12 8 916 765-43-21, тел. 1) 84951234567',
      ['8 903 123-45-67', '8 916 765-43-21', '84951234567'],
    ],
  ])('finds %s', (_, text, values) => {
    expect(valuesIn(text)).toEqual(values);
  });

  it.each([
    'The compass points to r2d2-like shapes',
    'Amounts of four months: 12 500 8 345 12 345 67 890',
    'x = a_@b_c',
    'icon@2x.png and icon@3x.dark.png',
    'react@18.2.0.min.js',
    'name;сумма\nРога;7707083893',
    'token_type=bearer&page=2',
    'Пароль от вайфая спросите на ресепшене',
    'GPIO pin 18 PWM at 1000 Hz',
    'Пароль должен содержать не менее 12 символов, например цифры 2024',
    'The password for user deploy on LAPTOP-7QK2V has expired',
    'Паспорт заберёте в визовом центре, номер записи RUS4410927',
    'amqp://events@rabbit.prod.svc:5672/jobs',
  ])('finds nothing in %j', (text) => {
    expect(valuesIn(text)).toEqual([]);
  });
});

/** The texts are longer than the part that is searched around a key. */
describe('a row of key prefixes', () => {
  it.each(['glpat-', 'sk-', 'sk-ant-', 'xoxb-', 'sk-proj-'])('of %j is read once', (unit) => {
    const millisecondsOf = (characters: number) => {
      const text = unit.repeat(characters / unit.length);
      // The shortest time counts, because other threads of this process only add time.
      return Math.min(
        ...Array.from({ length: 3 }, () => {
          const before = process.cpuUsage();
          findSensitive(text, all);
          const { user, system } = process.cpuUsage(before);
          return (user + system) / 1_000;
        }),
      );
    };
    // With quadratic time, four times the text would take sixteen times as long.
    expect(millisecondsOf(1_200_000)).toBeLessThan(10 * Math.max(20, millisecondsOf(300_000)));
  });
});
