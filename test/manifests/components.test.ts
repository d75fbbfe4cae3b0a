import { expect } from 'chai'
import { addedBy } from './granted.ts'

const OURS = 'experimentcontroller.example.com'

/** All permissions that each component adds. Its comments give the reasons. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  promotion: ['patch argoproj.io/rollouts/status', `patch ${OURS}/experimentdeployments`],
  gate: ['list /pods', 'watch /pods', 'patch /pods/status'],
  analysis: [
    ...['list', 'watch', 'create', 'delete'].map((verb) => `${verb} ${OURS}/experimentanalysisruns`),
    `patch ${OURS}/experimentanalysisruns/status`,
    `list ${OURS}/experimentanalysistemplates`,
    `watch ${OURS}/experimentanalysistemplates`,
    'list /pods',
  ],
  'cut-over': ['get /services', 'patch /services', `patch ${OURS}/experimentdeployments`],
}

describe('the components of the manifests', () => {
  for (const [component, rights] of Object.entries(ADDED))
    it(`let the controller do this with ${component}, and nothing else`, () =>
      expect(addedBy(component)).to.deep.equal({ '(Cluster)?Role experiment-controller-components': rights }))
})
