import { expect } from 'chai'
import { ANALYSIS_DEFAULTS } from '../../../../common/api/analysis/defaults.ts'
import { FIELDS } from '../../../../common/api/analysis/metric.ts'
import { ANALYSIS, METRIC } from '../../../../common/api/analysis/structures.ts'
import { mismatches } from '../../../../common/json/conform.ts'
import { at } from '../../../../common/json/json.ts'
import type { Structure } from '../../../../common/json/structure.ts'

const membersOf = (structure: Structure) => (structure.is === 'object' ? structure.members : {})

describe('the structures of an analysis', () => {
  it('fill in every default that depends on nothing else', () => {
    const values = Object.entries(membersOf(ANALYSIS)).flatMap(([key, member]) =>
      at(member, 'value') === undefined ? [] : [[key, at(member, 'value')]],
    )
    expect(Object.fromEntries(values)).to.deep.equal(ANALYSIS_DEFAULTS)
  })

  it('accept their own defaults', () => expect(mismatches(ANALYSIS_DEFAULTS, ANALYSIS)).to.deep.equal([]))

  it('know every field by which a metric is judged', () =>
    expect(Object.keys(membersOf(METRIC))).to.include.members(Object.keys(FIELDS)))
})
