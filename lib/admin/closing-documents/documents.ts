/**
 * Data of closing documents and bills, for a program that creates the documents (for example 1С). `to_confirm` lists
 * the points that depend on tax law.
 */

import type { CsvRow } from '../../../lambdas/books/csv.ts';
import { daysOfMonth } from '../../../lambdas/books/period.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { Party } from '../../../lambdas/store/accounts/papers.ts';
import type { Act, ActLine } from './completion-act.ts';
import { vatOf } from './kopecks.ts';

const TO_CONFIRM = [
  'the VAT rate and mode of the contract, and whether prices contain the tax',
  'which document closes a month: УПД of status 1 (with счёт-фактура), or УПД of status 2 or акт without it',
  'whether a change to a closed month needs a separate corrective document instead of a line in the next one',
  'rounding of the tax per line, half a kopeck up',
  'that the days of the month are those of the given time zone',
] as const;

interface TaxedLine {
  name: string;
  amount: Money;
  vat: Money;
  exact: Money | null;
}

interface Tax {
  percent: bigint;
  isIncluded: boolean;
}

function taxOf({ vat, includesVat }: Party): Tax | undefined {
  return vat === 'none' ? undefined : { percent: BigInt(vat), isIncluded: includesVat };
}

function taxed(name: string, amount: Money, { exact, tax }: { exact: Money | null; tax: Tax | undefined }): TaxedLine {
  return { name, amount, vat: tax ? vatOf(amount, tax) : Money.zero, exact };
}

const actLineNames: Record<ActLine['kind'], (subject: string, month: string) => string> = {
  spending: (subject, month) => `Доступ к моделям ИИ по API за ${month}${subject === '' ? '' : `: ${subject}`}`,
  change: (subject) => `Изменение стоимости за ${subject}`,
  adjustment: (subject) => `Корректировка ${subject}`,
};

export function actDocument({ paper, lines }: Act, { seller, buyer }: { seller: Party | undefined; buyer: Party }) {
  const { month, number, zone, carriedIn, carriedOut, exact, issuedAtMs } = paper;
  const tax = taxOf(buyer);
  const taxedLines = lines.map(({ subject, kind, amount, exact: own }) =>
    taxed(actLineNames[kind](subject, month), amount, { exact: own, tax }),
  );
  return {
    kind: 'act',
    number,
    issued_at: new Date(issuedAtMs).toISOString(),
    period: { ...daysOfMonth(month), zone },
    upd_status: tax ? 1 : 2,
    ...partiesOf(seller, buyer),
    ...amountsOf(taxedLines, tax),
    exact_rub: exact.toString(),
    carried_in_rub: carriedIn.toString(),
    carried_out_rub: carriedOut.toString(),
    to_confirm: TO_CONFIRM,
  };
}

/** Returns the data of a bill (счёт на оплату). */
export function billDocument(
  { reference, amount, atMs }: { reference: string; amount: Money; atMs: number },
  { seller, buyer }: { seller: Party | undefined; buyer: Party },
) {
  const tax = taxOf(buyer);
  const line = taxed('Пополнение счёта: доступ к моделям ИИ по API', amount, { exact: null, tax });
  return {
    kind: 'bill',
    number: reference,
    issued_at: new Date(atMs).toISOString(),
    ...partiesOf(seller, buyer),
    ...amountsOf([line], tax),
    to_confirm: TO_CONFIRM.slice(0, 1),
  };
}

function partiesOf(seller: Party | undefined, buyer: Party) {
  return { seller: seller ? partyView(seller) : null, buyer: partyView(buyer), contract: buyer.contract ?? null };
}

function partyView({ name, inn, kpp, address }: Party) {
  return { name, inn, kpp: kpp ?? null, address };
}

function amountsOf(lines: readonly TaxedLine[], tax: Tax | undefined) {
  const vat = Money.sum(lines.map((line) => line.vat));
  const sum = Money.sum(lines.map(({ amount }) => amount));
  const withVat = tax && !tax.isIncluded ? sum.plus(vat) : sum;
  return {
    currency: 'RUB',
    vat_percent: tax ? Number(tax.percent) : null,
    prices_include_vat: tax ? tax.isIncluded : null,
    lines: lines.map(({ name, amount, vat: own, exact }) => {
      const total = tax && !tax.isIncluded ? amount.plus(own) : amount;
      return {
        name,
        quantity: 1,
        unit: 'усл. ед.',
        amount_without_vat_rub: total.minus(own).toString(),
        vat_rub: own.toString(),
        amount_rub: total.toString(),
        exact_rub: exact === null ? null : exact.toString(),
      };
    }),
    amount_without_vat_rub: withVat.minus(vat).toString(),
    vat_rub: vat.toString(),
    amount_rub: withVat.toString(),
  };
}

type PaperDocument = ReturnType<typeof actDocument> | ReturnType<typeof billDocument>;

/** Returns CSV rows: column names first, total last. */
export function* documentRows({ lines, ...paper }: PaperDocument): Generator<CsvRow, void> {
  yield [
    'line',
    'name',
    'quantity',
    'unit',
    'amount_without_vat_rub',
    'vat_percent',
    'vat_rub',
    'amount_rub',
    'exact_rub',
  ];
  for (const {
    name,
    quantity,
    unit,
    amount_without_vat_rub: net,
    vat_rub: vat,
    amount_rub: amount,
    exact_rub: exact,
  } of lines) {
    yield [
      'line',
      name,
      quantity,
      unit,
      Money.parse(net),
      paper.vat_percent,
      Money.parse(vat),
      Money.parse(amount),
      exact === null ? null : Money.parse(exact),
    ];
  }
  const [net, vat, amount] = [paper.amount_without_vat_rub, paper.vat_rub, paper.amount_rub].map((text) =>
    Money.parse(text),
  );
  yield [
    'total',
    null,
    null,
    null,
    net!,
    paper.vat_percent,
    vat!,
    amount!,
    'exact_rub' in paper ? Money.parse(paper.exact_rub) : null,
  ];
}
