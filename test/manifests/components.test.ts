import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import { COMPONENTS, OTHER_FOLDERS } from '../../manifests/components.ts'
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
  it('are in the list of components, or in that of other folders, which says why', () => {
    const folders = readdirSync('manifests', { withFileTypes: true }).filter((each) => each.isDirectory())
    const listed = [...COMPONENTS.map(({ folder }) => folder), ...Object.keys(OTHER_FOLDERS)]
    expect(listed.sort()).to.deep.equal(folders.map(({ name }) => name).sort())
  })

  for (const [component, rights] of Object.entries(ADDED))
    it(`let the controller do this with ${component}, and nothing else`, () =>
      expect(addedBy(component)).to.deep.equal({ '(Cluster)?Role experiment-controller-components': rights }))
})
