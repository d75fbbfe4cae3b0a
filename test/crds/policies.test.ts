import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { parse } from 'yaml'
import { at, listOr } from '../../common/json/json.ts'
import { MAX_PATTERN, parseOverridePath } from '../../common/override/path.ts'
import { parseImagePattern } from '../../common/policy/images.ts'
import { LAW } from '../property.ts'

const crd: unknown = parse(readFileSync('crds/experimentpolicies.yaml', 'utf8'))
const [version] = listOr(at(crd, 'spec', 'versions'))
const list = (field: string) => at(version, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties', field)

/** The pattern of the rule for items of `field`. RE2 and JavaScript read it in the same way. */
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
    it(`accepts for ${field} exactly what can be parsed`, () => {
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

    it(`limits ${field} as the matchers are limited`, () => {
      expect(at(list(field), 'maxItems')).to.equal(64)
      expect(at(list(field), 'items', 'maxLength')).to.equal(MAX_PATTERN)
    })
  }
})
