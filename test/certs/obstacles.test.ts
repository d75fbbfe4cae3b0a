import { expect } from 'chai'
import type { Found } from '../../certs/cluster.ts'
import { obstacles } from '../../certs/obstacles.ts'
import type { KubeObject } from '../../common/api/object.ts'

const PLACES = { namespace: 'system', configuration: 'webhooks', leafSecret: 'leaf', caSecret: 'ca' }

const anObject = (name: string, annotations = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Any',
  metadata: { name, annotations },
})
const BOTH = [anObject('webhooks'), anObject('webhooks')]
const CERTIFICATE = { 'cert-manager.io/certificate-name': 'experiment-webhook-tls' }

const cases: Record<string, { readonly found: Partial<Found>; readonly says: readonly string[] }> = {
  'are none in an installation without certificates': { found: {}, says: [] },
  'are none where the script has been before': { found: { ca: anObject('ca'), leaf: anObject('leaf') }, says: [] },
  'say what to install where nothing is': {
    found: { configurations: [] },
    says: ['there are 0 of the two webhook configurations named webhooks; install first: kubectl apply'],
  },
  'count one configuration as half an installation': {
    found: { configurations: BOTH.slice(1) },
    says: ['there are 1 of the two'],
  },
  'leave to cert-manager what it would set back': {
    found: {
      configurations: [anObject('webhooks', { 'cert-manager.io/inject-ca-from': 'a/b' }), anObject('webhooks')],
    },
    says: ['cert-manager sees to these webhook configurations'],
  },
  'name a Secret of cert-manager': {
    found: { leaf: anObject('leaf', CERTIFICATE) },
    says: ["Secret leaf is cert-manager's; delete its Certificate and the Secret first"],
  },
}

describe('the obstacles of the script', () => {
  for (const [sentence, { found, says }] of Object.entries(cases))
    it(sentence, () => {
      const said = obstacles({ configurations: BOTH, ca: undefined, leaf: undefined, ...found }, PLACES)
      expect(said).to.have.lengthOf(says.length)
      for (const [index, words] of says.entries()) expect(said[index]).to.contain(words)
    })
})
