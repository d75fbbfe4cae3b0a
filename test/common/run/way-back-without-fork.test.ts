import { expect } from 'chai'
import { ABSENT, known } from '../../../common/api/known.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { ANY_SCHEMA, installing } from '../../builders.ts'
import { aRun, aRunExperiment } from '../plan/some-run.ts'
import { imageIn } from './promotions.ts'

const NO_GATE = { gate: undefined, installed: installing('promotion') }

/** The command `undo` after the end of a gated canary. */
function undone() {
  const strategy = { canary: { steps: [{ setWeight: 20 }] } }
  const run = aRun(aRunExperiment({ strategy, traffic: { mode: 'Gated' }, promotion: { mode: 'Automatic' } }))
  run.rest()
  run.wait(31)
  run.rest()
  expect([run.strategy()?.phase, imageIn(run)]).to.deep.equal(['Promoted', 'example/cart:2'])
  run.say('undo')
  return run
}

describe('an undo where no fork can be derived', () => {
  it('restores the source, for which it needs no fork', () => {
    const run = undone()
    const writes = run.rest(40, NO_GATE).map(({ verb, role }) => `${verb} ${role}`)
    expect(writes.filter((write) => write !== 'patch experiment')).to.deep.equal(['patch source'])
    expect([imageIn(run), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 'Undone'])
  })

  it('takes the pods of a fork that nobody gates, after that', () => {
    const run = aRun(aRunExperiment({ strategy: undefined, promotion: { mode: 'Automatic' } }))
    run.rest()
    expect([run.strategy()?.stepName, imageIn(run)]).to.deep.equal(['drain 30s', 'example/cart:2'])
    run.say('undo')
    const message = 'unknown field since the last upgrade'
    const check = () => [{ field: 'spec.overrideSpec.template', message, cause: 'FieldValueInvalid' as const }]
    const writes = run.rest(40, { schema: known({ ...ANY_SCHEMA, hash: 'newer', check }) })
    expect(writes.map(({ verb, role }) => `${verb} ${role}`)).to.include.members(['patch source', 'patch fork'])
    expect([imageIn(run), run.pods(), run.strategy()?.phase]).to.deep.equal(['example/cart:1', 0, 'Undone'])
  })

  const cases: Readonly<Record<string, Partial<Facts>>> = {
    'waits for the schema, with which it compares the source': { schema: ABSENT },
    'writes nothing where the source was not read, as without consent': { ...NO_GATE, promotion: undefined },
    'writes nothing where admission checks no permissions': { isExcluded: true },
  }
  for (const [title, but] of Object.entries(cases))
    it(title, () => {
      const run = undone()
      run.rest(40, but)
      expect([imageIn(run), run.strategy()?.stepName]).to.deep.equal(['example/cart:2', 'restore'])
    })
})
