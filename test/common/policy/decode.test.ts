import { expect } from 'chai'
import { decodePolicy } from '../../../common/policy/decode.ts'
import { aPolicy } from '../../builders.ts'

/** A policy that sets everything. */
const WHOLE = aPolicy({
  namespaceSelector: { matchLabels: { tier: 'live' } },
  validationActions: ['Deny', 'Warn', 'Audit'],
  maxReplicas: 2,
  maxShare: '10%',
  maxExperimentsPerSource: 1,
  maxExperimentsPerNamespace: 5,
  maxTTLSeconds: 3_600,
  defaultTTLSeconds: 600,
  allowedOverridePaths: ['template'],
  deniedOverridePaths: ['template.spec.volumes'],
  allowedImages: ['example/*'],
  allowSourcesFrom: ['lab'],
  sourceMissing: 'Deny',
})
const decode = (members: object) => decodePolicy({ ...aPolicy(), ...members })

describe('decodePolicy', () => {
  it('returns every member of a valid spec', () => expect(decodePolicy(WHOLE)).to.deep.equal(WHOLE))

  it('returns the status, and none where there is none', () => {
    const status = { observedGeneration: 3, experiments: 2, violations: 1 }
    expect(decode({ status }).status).to.deep.equal(status)
    expect(decode({})).to.not.have.property('status')
    expect(decode({ status: { experiments: 'two' } })).to.not.have.property('status')
  })

  it('returns an empty spec when there is none', () => {
    expect(decode({ spec: undefined }).spec).to.deep.equal({})
    expect(decode({ spec: ['maxReplicas'] }).spec).to.deep.equal({})
  })

  const dropped: Readonly<Record<string, object>> = {
    'a number that is a text': { maxReplicas: '2' },
    'a share that is a number': { maxShare: 10 },
    'a selector that is a list': { namespaceSelector: [] },
    'a list with an item of another type': { allowedImages: ['example/*', 1] },
    'an action that does not exist': { validationActions: ['Deny', 'Ignore'] },
    'an unknown value of sourceMissing': { sourceMissing: 'Audit' },
    'an unknown member': { maxPods: 1 },
    'a name that every object inherits': { toString: 'x' },
  }
  for (const [what, members] of Object.entries(dropped))
    it(`leaves out ${what}, and keeps the other members`, () =>
      expect(decode({ spec: { ...members, maxTTLSeconds: 60 } }).spec).to.deep.equal({ maxTTLSeconds: 60 }))
})
