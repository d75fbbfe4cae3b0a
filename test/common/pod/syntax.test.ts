import { expect } from 'chai'
import {
  dnsLabelProblem,
  dnsNameProblem,
  filePathProblem,
  headerNameProblem,
  ipProblem,
  keyProblem,
  pathWithoutBackstepsProblem,
  portNameProblem,
  relativePathProblem,
  type Syntax,
  searchPathProblem,
  variableNameProblem,
} from '../../../common/pod/syntax.ts'

const LONG = 'a'.repeat(100_000)

const TABLE: Readonly<Record<string, readonly [Syntax, valid: readonly string[], invalid: readonly string[]]>> = {
  'a DNS label': [dnsLabelProblem, ['a', '0', 'a-1', 'a'.repeat(63)], ['', 'A', 'a_b', 'a.b', '-a', 'a-', LONG]],
  'a DNS name': [dnsNameProblem, ['a', 'a.b-c', 'a'.repeat(253)], ['', 'a..b', '.a', 'a.', 'A', 'a_b', LONG]],
  'a search path': [searchPathProblem, ['.', 'a.', '_a.b'], ['', '..', 'A', 'a..', LONG]],
  'the name of a variable': [variableNameProblem, ['A', '1', ' ', 'a-b.c', '#'], ['', '=', 'A=', 'é', '\n', 'a\tb']],
  'the name of a port': [portNameProblem, ['a', 'a1', '1-a', 'a'.repeat(15)], ['', '1', 'A', 'a--b', '-a', 'a-', LONG]],
  'the key of a ConfigMap': [keyProblem, ['a', 'A_b-c.d', '.a', '-'], ['', '.', '..', '..a', 'a/b', 'a b', LONG]],
  'the name of a header': [headerNameProblem, ['X-A', '1'], ['', 'X A', 'a_b', 'a:']],
  'a path': [pathWithoutBackstepsProblem, ['', '/a/b', 'a..b', '...'], ['..', '/a/../b', 'a/..']],
  'a relative path': [relativePathProblem, ['', 'a/b', '..a'], ['/', '/a', '../a']],
  'the path of a file': [filePathProblem, ['a', 'a/..b', '.a'], ['..', '..a', '/a', 'a/../b']],
  'an IP address': [
    ipProblem,
    [
      '10.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '2001:db8::1',
      '1:2:3:4:5:6:7:8',
      '1::',
      '1::2:3:4:5:6:7',
      '64:ff9b::192.0.2.33',
      '::10.0.0.1',
      '1:2:3:4:5:6:7.8.9.10',
      '::fffe:10.0.0.1',
      '1::ffff:10.0.0.1',
    ],
    [
      '',
      '10.0.0',
      '10.0.0.256',
      '010.0.0.1',
      '::ffff:10.0.0.1',
      '::FFFF:a00:1',
      '0:0:0:0:0:ffff:10.0.0.1',
      '64:ff9b::192.0.2.256',
      '64:ff9b::192.0.2.33%eth0',
      '64:ff9b::192.0.2.33:1',
      '1:2:3:4:5:6:7:8.9.10.11',
      '1:2:3:4:5::6:7:8',
      '10.0.0.1.',
      'a',
      '1:2',
      '1::2::3',
      '1:2:3:4:5:6:7:8:9',
      '12345::',
      'fe80::1%eth0',
      ':::',
    ],
  ],
}

describe('the syntax', () => {
  for (const [what, [problem, valid, invalid]] of Object.entries(TABLE)) {
    it(`of ${what} is accepted`, () => {
      for (const text of valid) expect(problem(text), text).to.equal(undefined)
    })
    it(`of ${what} is refused in plain words`, () => {
      for (const text of invalid) expect(problem(text), text.slice(0, 80)).to.match(/^must .*[;:]/)
    })
  }

  it('never shows a long text whole', () => {
    for (const [problem] of Object.values(TABLE)) expect(problem(`/${LONG}`)?.length ?? 0).to.be.below(250)
  })
})
