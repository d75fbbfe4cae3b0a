import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { anOverlay } from './overlay.ts'
import { usesOwnControlPlane } from './own-plane.ts'

/** What each optional component sets in both programs. */
const VARIABLES = { promotion: 'PROMOTION', gate: 'GATE', 'cut-over': 'CUT_OVER' } as const
const OPTIONAL = Object.keys(VARIABLES)

/** Every order of `names`. */
const orders = (names: readonly string[]): readonly (readonly string[])[] =>
  names.length === 0
    ? [[]]
    : names.flatMap((first) => orders(names.filter((name) => name !== first)).map((rest) => [first, ...rest]))

/** Where ../beside may be: behind ../namespaced. */
const POSSIBLE = orders(['namespaced', 'beside', ...OPTIONAL]).filter(
  (names) => names.indexOf('namespaced') < names.indexOf('beside'),
)

/** Lists whose order means nothing are sorted. */
const sorted = (values: unknown): readonly string[] =>
  listOr(values)
    .map((value) => JSON.stringify(value))
    .sort()

describe('the optional components of an installation', () => {
  const plane = usesOwnControlPlane()

  /** The objects of an installation for the namespace "bank" beside another one. */
  async function built(components: readonly string[]): Promise<readonly KubeObject[]> {
    const watch = { namespace: 'bank', installation: 'experiments-bank' }
    const folder = await anOverlay({ resources: ['default'], components, watch })
    const { stdout, stderr } = await plane().kubectl(['kustomize', folder])
    expect(stderr).to.equal('')
    return parseAllDocuments(stdout).map((document): KubeObject => document.toJS())
  }
  const variables = (of: KubeObject) => sorted(at(listOr(at(of, 'spec', 'template', 'spec', 'containers'))[0], 'env'))

  /** The objects, with the lists sorted to which components add. */
  const inOrder = (objects: readonly KubeObject[]) =>
    objects
      .map((object) =>
        object.kind === 'Deployment'
          ? { ...object, spec: variables(object) }
          : object.rules
            ? { ...object, rules: sorted(object.rules) }
            : object,
      )
      .map((object) => JSON.stringify(object))
      .sort()

  it('are the same in every order', async function () {
    this.timeout(180_000)
    const [first = [], ...others] = POSSIBLE
    expect(others).to.have.lengthOf(59)
    const expected = inOrder(await built(first))
    for (const components of others) expect(inOrder(await built(components)), components.join()).to.deep.equal(expected)
  })

  it('each set their variable in both programs, and no other', async () => {
    for (const [component, variable] of Object.entries(VARIABLES)) {
      const programs = (await built(['namespaced', component, 'beside'])).filter(({ kind }) => kind === 'Deployment')
      expect(programs).to.have.lengthOf(2)
      for (const program of programs) {
        const set = variables(program).filter((text) => text.includes('"enabled"'))
        expect(set).to.deep.equal([JSON.stringify({ name: variable, value: 'enabled' })])
      }
    }
  })

  it('give their permissions in the one namespace only, to the account of their own installation', async () => {
    const objects = await built([...OPTIONAL, 'namespaced', 'beside'])
    const found = objects.filter(({ metadata: { name } }) => name.startsWith('experiment-controller-components'))
    expect(found.map(({ kind, metadata: { namespace } }) => `${kind} in ${namespace}`)).to.deep.equal([
      'Role in bank',
      'RoleBinding in bank',
    ])
    const [role, binding] = found
    expect(listOr(role?.rules)).to.have.lengthOf(7)
    expect(binding?.roleRef).to.deep.include({ kind: 'Role', name: 'experiment-controller-components' })
    expect(at(listOr(binding?.subjects)[0], 'namespace')).to.equal('experiments-bank')
  })

  it('change the policy about the account of their own installation', async () => {
    const objects = await built(['namespaced', 'beside', ...OPTIONAL])
    const policies = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    const account = policies.find(({ metadata: { name } }) => name === 'experiment-controller-account-bank')
    expect(JSON.stringify(account)).to.contain('experiment-controller-promotion').and.to.contain('experiments-bank:')
  })
})
