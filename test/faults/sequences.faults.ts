import { expect } from 'chai'
import { type AuditEvent, auditEvents } from '../../sandbox/audit.ts'
import { ownWrites } from '../../sandbox/proof.ts'
import { type Opened, openCourt } from '../fuzz/admission/court.ts'
import { inParallel } from '../in-parallel.ts'
import { controlPlane } from '../integration/fixture.ts'
import { installation, usesProduct } from '../integration/product.ts'
import { usesCollectedRollouts } from '../integration/rollout-crds.ts'
import { violations } from './oracles.ts'
import { Sequences } from './sequences/run.ts'
import type { Plan } from './sequences/steps.ts'
import { aMistaken, isReported, type Mistaken } from './sequences/unreviewed.ts'

const LANES = 12
const RUNS = 11
const STEPS = 20
/** About as many as `LANES * RUNS * STEPS / 2`, less what chance may take. */
const TOTAL = 1_000
const UNREVIEWED = 60
const LIMIT_MS = 600_000

/** `SEED=… [LANES=1]` repeats a run or a lane, and `SEQUENCE='{…}'` a single sequence, as a failure prints them. */
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 30))
const lanes = Number(process.env.LANES ?? LANES)
const only: Plan | undefined = process.env.SEQUENCE ? JSON.parse(process.env.SEQUENCE) : undefined

describe(`generated sequences, SEED=${seed}`, function () {
  this.timeout(2 * LIMIT_MS)
  const place = usesProduct()
  usesCollectedRollouts(place)
  const begun = new Date()
  let opened: Opened
  let sequences: Sequences

  before('the schemas are read', async () => {
    opened = await openCourt(await controlPlane(), place().namespace)
    sequences = new Sequences({ api: place().api, opened })
  })
  after('the connections are closed', () => opened?.close())

  if (only) {
    it('is followed', () => sequences.follow(only))
    return
  }

  it('lead to the fork that a plain merge gives; what is invalid changes nothing; the last good one heals all', async () => {
    const failures = await sequences.run({ lanes, runs: RUNS, steps: STEPS, seed, limitMs: LIMIT_MS })
    console.log(`    ${sequences.total} steps: ${sequences}`)
    expect(failures.join('\n\n')).to.equal('')
  })

  it(`were ${TOTAL} steps, of every sort`, function () {
    if (lanes < LANES) this.skip()
    const { total, outcomes, steps } = sequences
    expect(total).to.be.at.least(TOTAL)
    expect(Math.min(...steps.values()), `${sequences}`).to.be.at.least(3)
    expect(outcomes.get('refused')).to.be.above(total / 10)
    expect(outcomes.get('merged')).to.be.above(total / 2)
    expect(outcomes.get('held')).to.be.above(10)
  })

  it(`${UNREVIEWED} mistakes that no review has seen are told, and change no fork`, async () => {
    const namespace = await sequences.namespace()
    const all: Mistaken[] = []
    const seeds = Array.from({ length: UNREVIEWED }, (_, index) => seed + index)
    await inParallel(LANES, seeds, async (each) => all.push(await aMistaken(sequences.ground(), namespace, each)))
    const { removeWebhooks, restoreWebhooks } = await installation()
    await removeWebhooks()
    const failures: string[] = []
    try {
      await inParallel(LANES, all, (each) => isReported(each).catch((error) => failures.push(String(error))))
    } finally {
      await restoreWebhooks()
    }
    expect(failures.join('\n\n')).to.equal('')
  })

  it('write nothing that is not allowed', async () => {
    const { auditLog } = await controlPlane()
    const own = [...sequences.namespaces]
    const { forbidden } = await ownWrites(auditLog, begun)
    expect(forbidden.filter((request) => own.some((each) => request.includes(`/${each}/`)))).to.deep.equal([])
    const histories = new Map(own.map((namespace) => [namespace, [] as AuditEvent[]]))
    for await (const event of auditEvents(auditLog, '-experiment-'))
      histories.get(event.objectRef?.namespace ?? '')?.push(event)
    expect([...histories.values()].flatMap(violations)).to.deep.equal([])
  })
})
