import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { at, listOr } from '../../common/json/json.ts'

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

/** The permissions that the patches of a component add to a role, by the pattern of its name. */
function addedBy(component: string): Readonly<Record<string, readonly string[]>> {
  const { patches, resources } = parse(readFileSync(`manifests/${component}/kustomization.yaml`, 'utf8'))
  expect(resources).to.equal(undefined)
  const ofRoles = listOr(patches).filter((patch) => /Role/.test(`${at(patch, 'target', 'kind')}`))
  return Object.fromEntries(
    ofRoles.map((patch) => [
      `${at(patch, 'target', 'kind')} ${at(patch, 'target', 'name')}`,
      listOr(parse(`${at(patch, 'patch')}`)).flatMap((operation) => {
        expect(operation).to.deep.include({ op: 'add', path: '/rules/-' })
        const each = (member: string) => listOr(at(operation, 'value', member)).map(String)
        return each('verbs').flatMap((verb) =>
          each('apiGroups').flatMap((group) => each('resources').map((what) => `${verb} ${group}/${what}`)),
        )
      }),
    ]),
  )
}

describe('the components of the manifests', () => {
  for (const [component, rights] of Object.entries(ADDED))
    it(`let the controller do this with ${component}, and nothing else`, () =>
      expect(addedBy(component)).to.deep.equal({ '(Cluster)?Role experiment-controller-components': rights }))
})
