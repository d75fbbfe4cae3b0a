import { expect } from 'chai'
import { editsSpec, setsApproval } from '../../../webhook/review/approval.ts'
import { anExperiment } from '../../builders.ts'
import { aRequest } from '../reviews.ts'

const strategy = { canary: {} }
const approving = (approvedRevision?: string, replicas = 1) =>
  anExperiment({ strategy, replicas, promotion: approvedRevision === undefined ? {} : { approvedRevision } })
const updating = (object: ReturnType<typeof anExperiment>, oldObject = approving()) => aRequest({ object, oldObject })

describe('an approval in the spec', () => {
  it('is set by a request that approves another revision than before', () => {
    expect(setsApproval(updating(approving('1f')))).to.equal(true)
    expect(setsApproval(updating(approving('2e'), approving('1f')))).to.equal(true)
    expect(setsApproval(updating(approving('1f', 2), anExperiment({ strategy })))).to.equal(true)
    expect(setsApproval(aRequest({ object: approving('1f') }))).to.equal(true)
  })

  it('is not set where it stays, is taken away, or was never there', () => {
    expect(setsApproval(updating(approving('1f', 2), approving('1f')))).to.equal(false)
    expect(setsApproval(updating(approving(), approving('1f')))).to.equal(false)
    expect(setsApproval(updating(approving()))).to.equal(false)
    expect(setsApproval(aRequest({ object: approving() }))).to.equal(false)
  })
})

describe('an edit of the spec', () => {
  const edits = (object: ReturnType<typeof anExperiment>, oldObject = approving()) =>
    editsSpec(updating(object, oldObject), object.spec)

  it('is everything but an approval', () => {
    expect(edits(approving('1f', 2))).to.equal(true)
    expect(edits(approving('1f'), anExperiment({ strategy, promotion: { force: true } }))).to.equal(true)
    expect(editsSpec(aRequest({ object: approving('1f') }), approving('1f').spec)).to.equal(true)
  })

  it('is the promotion itself, which begins another run', () =>
    expect(edits(approving('1f'), anExperiment({ strategy }))).to.equal(true))

  it('is not an approval, another one, or none any more', () => {
    expect(edits(approving('1f'))).to.equal(false)
    expect(edits(approving('2e'), approving('1f'))).to.equal(false)
    expect(edits(approving(), approving('1f'))).to.equal(false)
  })

  it('N37e: is not another time until the experiment expires, alone or with an approval', () => {
    const expiring = (ttlSeconds: number | undefined, of = approving()) => ({
      ...of,
      spec: { ...of.spec, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) },
    })
    expect(edits(expiring(60), expiring(90))).to.equal(false)
    expect(edits(expiring(60))).to.equal(false)
    expect(edits(expiring(undefined), expiring(90))).to.equal(false)
    expect(edits(expiring(60, approving('1f')), expiring(90))).to.equal(false)
    expect(edits(expiring(60, anExperiment({ ttlSeconds: 60 })), anExperiment({ ttlSeconds: 90 }))).to.equal(false)
    expect(edits(expiring(60, approving(undefined, 2)), expiring(90))).to.equal(true)
  })

  it('N37e: is each time of the strategy, which begins another run', () =>
    expect(
      edits(
        anExperiment({ strategy: { canary: { steps: [{ pause: { duration: 1 } }] } } }),
        anExperiment({ strategy }),
      ),
    ).to.equal(true))
})
