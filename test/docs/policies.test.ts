import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import type { JsonObject } from '../../common/json/json.ts'
import { judge } from '../../common/policy/judge.ts'
import { aDeployment, anExperiment } from '../builders.ts'
import { aPolicy, aPolicyInput } from '../common/policy/policy-input.ts'

const ROW = /^\| `([^`]+)`[^|]*\| `([^`]+)` \| `([^`]+)` \|$/gm
const ROWS = [...readFileSync('docs/policies.md', 'utf8').matchAll(ROW)].map(
  ([, path = '', covered = '', free = '']) => ({ path, covered, free }),
)

const source = aDeployment({
  pod: {
    containers: [
      { name: 'cart', image: 'example/cart:1', args: ['one', 'two'] },
      { name: 'side', image: 'example/side:1' },
    ],
  },
})

/** Whether a policy that denies `path` refuses an override. */
function denies(path: string, override: string): boolean {
  const overrideSpec: JsonObject = parse(override)
  const experiment = anExperiment({ overrideSpec, overrideType: 'Strategic' })
  return judge([aPolicy({ deniedOverridePaths: [path] })], aPolicyInput({ experiment, source })).length > 0
}

describe('A-7: the table of paths in the guide for policy writers', () => {
  it('has a row for each part of the grammar', () => {
    const paths = ROWS.map(({ path }) => path).join(' ')
    for (const part of ['{', '.*.', '**.', '["', '[*]', '[cart]', '[+]', '[0]']) expect(paths).to.contain(part)
  })

  for (const { path, covered, free } of ROWS) {
    it(`is right that ${path} covers ${covered}`, () => expect(denies(path, covered)).to.equal(true))
    it(`is right that ${path} does not cover ${free}`, () => expect(denies(path, free)).to.equal(false))
  }
})
