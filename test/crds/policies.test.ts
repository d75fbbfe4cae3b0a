import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import { parseImagePattern } from '../../common/api/image.ts'
import { at, listOr } from '../../common/api/object.ts'
import { MAX_PATTERN, parseOverridePath } from '../../common/api/override-path.ts'
import { LAW } from '../property.ts'

const crd: unknown = parse(readFileSync('crds/experimentpolicies.yaml', 'utf8'))
const [version] = listOr(at(crd, 'spec', 'versions'))
const list = (field: string) => at(version, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties', field)

/** The expression of the rule for items of `field`; RE2 and JavaScript read it alike. */
function expression(field: string): RegExp {
  const [rule] = listOr(at(list(field), 'items', 'x-kubernetes-validations'))
  const [, text] = /^self\.matches\(r'(.+)'\)$/.exec(String(at(rule, 'rule'))) ?? []
  if (text === undefined) throw new Error(`${field} has lost its rule`)
  return new RegExp(text)
}

const PARSERS: Record<string, (pattern: string) => unknown> = {
  allowedOverridePaths: parseOverridePath,
  deniedOverridePaths: parseOverridePath,
  allowedImages: parseImagePattern,
}

const PIECES = [
  'a',
  '.',
  '*',
  '**',
  '[',
  ']',
  '+',
  '-',
  '"',
  '{',
  '}',
  ',',
  '/',
  ':',
  '@',
  '0',
  '_',
  'r.e',
  'localhost',
  ' ',
]

describe('the CRD of policies', () => {
  for (const [field, read] of Object.entries(PARSERS)) {
    it(`takes for ${field} what can be read, and nothing else`, () => {
      const rule = expression(field)
      const aPattern = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 9 })
      fc.assert(
        fc.property(aPattern, (pieces) => {
          const pattern = pieces.join('')
          expect(rule.test(pattern)).to.equal(read(pattern) !== undefined)
        }),
        LAW,
      )
    })

    it(`bounds ${field} as the matchers are bounded`, () => {
      expect(at(list(field), 'maxItems')).to.equal(64)
      expect(at(list(field), 'items', 'maxLength')).to.equal(MAX_PATTERN)
    })
  }
})
