import { expect } from 'chai'
import type { ClusterState } from '../../certs/cluster.ts'
import { obstacles } from '../../certs/obstacles.ts'
import type { KubeObject } from '../../common/api/object.ts'

const SECRETS = { leafSecret: 'leaf', caSecret: 'ca', pathSecret: 'path' }
const OBJECT_NAMES = { namespace: 'system', configuration: 'webhooks', ...SECRETS }
const NONE = { ca: undefined, leaf: undefined, path: undefined }

const anObject = (name: string, annotations = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Any',
  metadata: { name, annotations },
})
const BOTH = [anObject('webhooks'), anObject('webhooks')]
const CERTIFICATE = { 'cert-manager.io/certificate-name': 'experiment-webhook-tls' }

const cases: Record<string, { readonly found: Partial<ClusterState>; readonly says: readonly string[] }> = {
  'are none in an installation without certificates': { found: {}, says: [] },
  'are none after an earlier run of the script': { found: { ca: anObject('ca'), leaf: anObject('leaf') }, says: [] },
  'say what to apply if nothing is installed': {
    found: { configurations: [] },
    says: ['found 0 of 2 webhook configurations named webhooks; apply your overlay with manifests/script-certs first'],
  },
  'count one configuration as half an installation': {
    found: { configurations: BOTH.slice(1) },
    says: ['found 1 of 2'],
  },
  'name cert-manager if it would undo the changes': {
    found: {
      configurations: [anObject('webhooks', { 'cert-manager.io/inject-ca-from': 'a/b' }), anObject('webhooks')],
    },
    says: ['cert-manager manages these webhook configurations'],
  },
  'name a Secret of cert-manager': {
    found: { leaf: anObject('leaf', CERTIFICATE) },
    says: ['Secret leaf belongs to cert-manager; delete its Certificate and the Secret first'],
  },
}

describe('the obstacles of the script', () => {
  for (const [sentence, { found, says }] of Object.entries(cases))
    it(sentence, () => {
      const said = obstacles({ configurations: BOTH, ...NONE, ...found }, OBJECT_NAMES)
      expect(said).to.have.lengthOf(says.length)
      for (const [index, words] of says.entries()) expect(said[index]).to.contain(words)
    })
})
