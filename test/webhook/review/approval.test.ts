import { expect } from 'chai'
import { approvalErrors, editsSpec, setsApproval } from '../../../webhook/review/approval.ts'
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

describe('the mistakes of an approval', () => {
  const WHOLE = '1f'.repeat(32)
  const messages = (request: ReturnType<typeof updating>, whole?: string) =>
    approvalErrors(request, whole).map(({ field, message }) => `${field}: ${message}`)

  it('N31: are ten digits, with the whole revision as the remedy', () => {
    const field = 'spec.promotion.approvedRevision'
    expect(messages(updating(approving('1f2e3d4c5b')), WHOLE)).to.deep.equal([
      `${field}: takes the whole revision, of 64 digits: ${WHOLE}`,
    ])
    expect(messages(updating(approving('1f2e3d4c5b')))).to.deep.equal([
      `${field}: takes the whole revision, of 64 digits; the plan prints it`,
    ])
  })

  it('N31: are not ten digits that are stored already, the whole revision, and what a new experiment brings', () => {
    expect(messages(updating(approving('1f2e3d4c5b', 2), approving('1f2e3d4c5b')), WHOLE)).to.deep.equal([])
    expect(messages(updating(approving(WHOLE)), WHOLE)).to.deep.equal([])
    expect(messages(updating(approving()), WHOLE)).to.deep.equal([])
    expect(messages(aRequest({ object: approving('1f2e3d4c5b') }), WHOLE)).to.deep.equal([])
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

  it('N9: is not a promotion that is null in place of none, and is null in place of one', () => {
    const none = anExperiment({ strategy })
    const emptied = { ...none, spec: { ...none.spec, promotion: null } }
    const isEdit = (object: object, oldObject: object) => {
      const request = aRequest({ object: { ...object }, oldObject: { ...oldObject } })
      return editsSpec(request, request.object.spec)
    }
    expect([isEdit(emptied, none), isEdit(none, emptied), isEdit(emptied, emptied)]).to.deep.equal(Array(3).fill(false))
    expect([isEdit(emptied, approving()), isEdit(approving('1f'), emptied)]).to.deep.equal([true, true])
  })

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
