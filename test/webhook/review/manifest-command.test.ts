import { expect } from 'chai'
import { COMMAND } from '../../../common/api/names.ts'
import { commandWarnings } from '../../../webhook/review/manifest-command.ts'
import { anExperiment } from '../../builders.ts'
import { aRequest } from '../reviews.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
const SAID = { [COMMAND]: 'resume' }
const applied = (annotations: object) => ({ [LAST_APPLIED]: JSON.stringify({ metadata: { annotations } }) })
const owning = (operation: string, fields: object) => ({
  managedFields: [{ manager: 'kubectl', operation, fieldsV1: { 'f:metadata': { 'f:annotations': fields } } }],
})
const OWNED = { [`f:${COMMAND}`]: {} }

const warned = (annotations: Readonly<Record<string, string>>, metadata: object = {}, before: object = {}) => {
  const object = anExperiment({ metadata: { annotations, ...metadata } })
  const oldObject = anExperiment({ metadata: { annotations: { ...before } } })
  return commandWarnings(aRequest({ object, oldObject })).map(({ reason, message }) => `${reason}: ${message}`)
}

const TOLD = [
  'CommandIsDeclared: a command in a manifest is given again by each sync; remove it there, and use kubectl annotate',
]

describe('a command in a manifest', () => {
  it('N37i: is warned of where kubectl apply stored it on the client', () =>
    expect(warned({ ...SAID, ...applied(SAID) })).to.deep.equal(TOLD))

  it('N37i: is warned of where a server-side apply owns it', () =>
    expect(warned(SAID, owning('Apply', OWNED))).to.deep.equal(TOLD))

  it('N37i: is warned of with each sync, because the stored one has a stamp', () => {
    const stamped = { [COMMAND]: 'resume step=1 revision=1f2e3d4c5b at=2026-11-21T14:05:03.120Z' }
    expect(warned({ ...SAID, ...applied(SAID) }, {}, { ...stamped, ...applied(SAID) })).to.deep.equal(TOLD)
  })

  it('N37i: is not warned of where a person annotates, where it stays, and without one', () => {
    expect(warned(SAID, owning('Update', OWNED))).to.deep.equal([])
    expect(warned(SAID, owning('Apply', { 'f:other': {} }))).to.deep.equal([])
    expect(warned({ ...SAID, ...applied({ other: 'a' }) })).to.deep.equal([])
    expect(warned({ ...SAID, ...applied(SAID) }, {}, SAID)).to.deep.equal([])
    expect(warned({ ...SAID, [LAST_APPLIED]: '{' }, { managedFields: 'many' })).to.deep.equal([])
    expect(warned({})).to.deep.equal([])
  })
})
