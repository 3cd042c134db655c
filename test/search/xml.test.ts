import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childrenOf, descendantsOf, readXml, xmlText } from '../../lambdas/search/backends/xml.ts';

describe('an XML document', () => {
  it('is read with elements, attributes, text, CDATA and entities', () => {
    const root = readXml(
      '\ufeff<?xml version="1.0"?>\n<!-- c <d> --><a x="1 &amp; 2" y=\'"\'><b>t<i>u</i> &#1071;</b><b/><c><![CDATA[<b>&amp;]]></c></a>\n',
    )!;
    expect(root.attributes).toEqual({ x: '1 & 2', y: '"' });
    expect(childrenOf(root, 'b').map(xmlText)).toEqual(['tu Я', '']);
    expect(xmlText(root)).toBe('tu Я<b>&amp;');
  });

  it('returns the elements of a name at any depth, in order', () => {
    const root = readXml('<r><g><d>1</d></g><g><h><d>2<d>x</d></d></h></g></r>')!;
    expect(descendantsOf(root, 'd').map(xmlText)).toEqual(['1', '2x']);
  });

  it.each([
    ['nothing', ''],
    ['only text', 'text'],
    ['two roots', '<a/><b/>'],
    ['text next to the root', '<a/>text'],
    ['an element that is not closed', '<a><b></a>'],
    ['an element that was never opened', '</a>'],
    ['the wrong order', '<a><b></a></b>'],
    ['a cut tag', '<a'],
    ['a cut comment', '<a><!-- </a>'],
    ['cut CDATA', '<a><![CDATA[</a>'],
    ['an attribute without quotes', '<a b=c></a>'],
    ['a document type, which could define entities', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['nested too deeply', '<a>'.repeat(40) + '</a>'.repeat(40)],
    ['a list of too many elements', `<a>${'<b/>'.repeat(20_000)}</a>`],
    ['a page of HTML', '<!doctype html><html><br></html>'],
  ])('is refused if it is %s', (_, xml) => {
    expect(readXml(xml)).toBeUndefined();
  });

  it('is read or refused, whatever its content', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<a>',
        '</a>',
        '<a/>',
        '<a b="c">',
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        '<?',
        '?>',
        '&amp;',
        '<',
        '>',
        '"',
        '&#x;',
      ),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const root = readXml(`<r>${pieces.join('')}</r>`);
        expect(root === undefined || root.name === 'r').toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
