import { describe, expect, it } from 'vitest';
import { memberIdRule, nameRule, slugRule } from '../../lambdas/management/rules.ts';
import { obeys } from '../../lambdas/platform/text-rule.ts';

describe('a rule for texts', () => {
  it.each([
    ['a slug of one letter', slugRule, 'a', true],
    ['a slug of 50', slugRule, 'a'.repeat(50), true],
    ['a slug of 51', slugRule, 'a'.repeat(51), false],
    ['an empty slug', slugRule, '', false],
    ['a slug that is nearly a UUID', slugRule, '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6', true],
    ['a slug that is a UUID', slugRule, '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d', false],
    ['an address as a member id', memberIdRule, 'ann+1@example.com', true],
    ['a route as a member id', memberIdRule, 'remove', false],
    ['a member id that begins like a route', memberIdRule, 'remover', true],
    ['a name with blanks inside', nameRule, 'Отдел продаж', true],
    ['half a character as a name', nameRule, '\ud83d', false],
    ['a name of 101', nameRule, 'x'.repeat(101), false],
  ])('accepts or refuses as documented: %s', (_, rule, text, obeyed) => {
    expect(obeys(rule, text)).toBe(obeyed);
  });
});
