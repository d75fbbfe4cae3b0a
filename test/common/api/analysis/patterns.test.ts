import { expect } from 'chai'
import {
  ARG_NAME_PATTERN,
  ARG_VALUE_PATTERN,
  ATTRIBUTE_PATTERN,
  CONDITION_PATTERN,
  LABEL_PATTERN,
  LINE_OR_NONE_PATTERN,
  LINE_PATTERN,
  MATCHER_PATTERN,
  NAME_PATTERN,
  OBJECT_NAME_PATTERN,
  PATH_PATTERN,
  POINTER_PATTERN,
  SERIES_PATTERN,
} from '../../../../common/api/analysis/patterns.ts'

type Texts = readonly string[]

const CASES: Readonly<Record<string, readonly [pattern: string, sound: Texts, wrong: Texts]>> = {
  name: [NAME_PATTERN, ['a', 'a-1', '1'], ['', 'A', '-a', 'a-', 'a.b', 'a\n']],
  'name of an object': [OBJECT_NAME_PATTERN, ['a', 'a.b-c.d'], ['', 'a..b', '.a', 'a_b', '..', 'a/b']],
  'name of an arg': [ARG_NAME_PATTERN, ['a', 'aB_1-c'], ['', '1a', 'a.b', 'a b', 'a'.repeat(64)]],
  'value of an arg': [
    ARG_VALUE_PATTERN,
    ['', '/cart', 'a_b./:@=+, -', '5..', 'a'.repeat(253)],
    ['"', "'", '`', '\\', '{', '}', '*', '(', '|', '#', '\n', 'é', 'a'.repeat(254)],
  ],
  label: [LABEL_PATTERN, ['a', '_a1'], ['', '1a', 'a-b', 'a.b', 'a:b']],
  'metric of Prometheus': [SERIES_PATTERN, ['a', 'a:b_c1'], ['', '1a', 'a{}', 'a b', 'a-b']],
  matcher: [
    MATCHER_PATTERN,
    ['a="b"', 'a = "b"', 'a!="b"', 'a=~"5.."', 'a!~"5.."', 'a=""', 'a="\\"\\\\\\n"', 'a="{{args.x}}"', 'a="b,c=\'d\'"'],
    [
      'a',
      'a=b',
      "a='b'",
      'a="b',
      'a="b"c',
      'a="b",c="d"',
      'a=="b"',
      'a="\\."',
      'a="\n"',
      'a-b="c"',
      ' a="b"',
      'a="b\\"',
    ],
  ],
  attribute: [ATTRIBUTE_PATTERN, ['host', 'k8s.podName'], ['', '`a`', 'a b', '1a']],
  condition: [
    CONDITION_PATTERN,
    [
      'error is true',
      'error IS NOT NULL',
      'httpResponseCode >= 500',
      "response.status='500'",
      "path LIKE '/cart%' AND error is true",
      "path not like '{{args.path}}'",
      'a=1 or b=2 or c=3 or d=4',
    ],
    [
      '',
      'error',
      'true',
      'a=1 or b=2 or c=3 or d=4 or e=5',
      'a=1) OR (b=2',
      "a='b' SINCE 1 day ago",
      "a='b\\'c'",
      "a='b''c'",
      'a=1 -- b',
      'a = (SELECT 1)',
      "a='{{pods}}'",
    ],
  ],
  line: [LINE_PATTERN, ['a', 'it\'s a "b"'], ['', 'a\nb', 'a\tb', '\x7f']],
  'line or nothing': [LINE_OR_NONE_PATTERN, ['', 'a'], ['a\nb']],
  path: [
    PATH_PATTERN,
    ['/', '/a/b;c/', '/{{pods}}', '/.well-known/a.b', '/a..', '/%2Fcart', '/a%20b'],
    [
      '',
      'a',
      '//a',
      '/a//b',
      '/..',
      '/a/../b',
      '/./a',
      '/%2e%2e/a',
      '/%',
      '/%zz',
      '/.%2E/a',
      'https://a/',
      '/a?b',
      '/a#b',
      '/a b',
      '/a\\b',
    ],
  ],
  pointer: [POINTER_PATTERN, ['', '/', '/a/0/b~0~1'], ['a', '/a~', '/a~2', '#/a', '/\n']],
}

describe('the pattern of a', () => {
  for (const [what, [pattern, sound, wrong]] of Object.entries(CASES)) {
    it(`${what} matches what is one`, () =>
      expect(sound.filter((each) => !new RegExp(pattern).test(each))).to.deep.equal([]))
    it(`${what} matches nothing else`, () =>
      expect(wrong.filter((each) => new RegExp(pattern).test(each))).to.deep.equal([]))
  }

  it('condition takes no long time to refuse a long text', () => {
    const long = `${'a='.repeat(128)}${"'".repeat(255)}`
    expect(new RegExp(CONDITION_PATTERN).test(long)).to.equal(false)
  })
})
