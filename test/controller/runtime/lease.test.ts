import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import {
  LEASE_MS,
  newLease,
  RENEW_DEADLINE_MS,
  RETRY_MS,
  releasedLease,
  renewedLease,
  takenLease,
  viewOf,
  WRITE_LIMIT_MS,
} from '../../../controller/runtime/lease.ts'

const NOW = new Date('2026-11-21T10:00:00.123Z')
const LATER = new Date('2026-11-21T10:00:02Z')
const leaseOf = (spec?: object): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'the-lease', uid: 'u', resourceVersion: '7', labels: { team: 'ops' } },
  ...(spec && { spec }),
})
const HELD = {
  holderIdentity: 'a_1',
  leaseDurationSeconds: 15,
  acquireTime: '2026-11-21T10:00:00.123000Z',
  renewTime: '2026-11-21T10:00:00.123000Z',
  leaseTransitions: 0,
}

describe('the times of a Lease', () => {
  it('leave room for several tries, and for writes that were sent last', () => {
    expect(RENEW_DEADLINE_MS).to.be.greaterThan(1.5 * RETRY_MS)
    expect(WRITE_LIMIT_MS).to.be.greaterThan(RENEW_DEADLINE_MS)
    expect(LEASE_MS).to.be.greaterThan(WRITE_LIMIT_MS)
  })
})

describe('a Lease', () => {
  it('begins with its first holder, and with times of six digits after the point', () => {
    const { metadata, spec } = newLease('the-lease', 'a_1', NOW)
    expect([metadata, spec]).to.deep.equal([{ name: 'the-lease' }, HELD])
  })

  it('is taken with its uid and version, and counts the holders', () => {
    const { metadata, spec } = takenLease(leaseOf({ ...HELD, preferredHolder: 'c' }), 'b_2', LATER)
    expect(metadata).to.deep.include({ uid: 'u', resourceVersion: '7', labels: { team: 'ops' } })
    const acquireTime = '2026-11-21T10:00:02.000000Z'
    expect(spec).to.deep.equal({
      ...HELD,
      holderIdentity: 'b_2',
      acquireTime,
      renewTime: acquireTime,
      leaseTransitions: 1,
      preferredHolder: 'c',
    })
  })

  it('is taken although it has no spec', () =>
    expect(takenLease(leaseOf(), 'a_1', NOW).spec).to.deep.equal({ ...HELD, leaseTransitions: 1 }))

  it('is renewed by a new time alone', () => {
    const renewTime = '2026-11-21T10:00:02.000000Z'
    expect(renewedLease(leaseOf(HELD), LATER).spec).to.deep.equal({ ...HELD, renewTime })
  })

  it('is given back without a holder, for a second', () => {
    const { spec } = releasedLease(leaseOf(HELD), LATER)
    expect(spec).to.deep.include({ holderIdentity: '', leaseDurationSeconds: 1 })
    expect(viewOf(leaseOf(spec as object)).waitMs).to.equal(0)
  })

  const waits: Record<string, readonly [spec: object | undefined, holder: string, waitMs: number]> = {
    'its duration': [{ ...HELD, leaseDurationSeconds: 40 }, 'a_1', 40_000],
    'at least the duration of ours: its holder may be one of us': [{ ...HELD, leaseDurationSeconds: 1 }, 'a_1', 15_000],
    'as long if somebody removed the holder, who may still write': [{ ...HELD, holderIdentity: '' }, '', 15_000],
    'as long if it has no spec': [undefined, '', 15_000],
    'as long if its fields have no sense': [{ holderIdentity: 7, leaseDurationSeconds: '1' }, '', 15_000],
  }
  for (const [what, [spec, holder, waitMs]] of Object.entries(waits))
    it(`must stand still for ${what}`, () => expect(viewOf(leaseOf(spec))).to.deep.include({ holder, waitMs }))

  it('has another version after every write', () => {
    const { metadata, ...rest } = leaseOf(HELD)
    const written = { ...rest, metadata: { ...metadata, resourceVersion: '8' } }
    const created = { ...rest, metadata: { ...metadata, uid: 'v' } }
    expect(new Set([leaseOf(HELD), written, created].map((lease) => viewOf(lease).version)).size).to.equal(3)
    expect(viewOf(leaseOf(HELD)).version).to.equal(viewOf(leaseOf(HELD)).version)
  })
})
