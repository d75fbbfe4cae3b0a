import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { GROUP } from '../../common/api/names.ts'
import { at, listOr } from '../../common/json/json.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { addedBy, rightsOf } from './granted.ts'
import { shipped, shippedOne } from './shipped.ts'

const policy = () => shippedOne('base', 'ValidatingAdmissionPolicy', 'experiment-controller-account')
const rules = () => listOr(at(policy(), 'spec', 'matchConstraints', 'resourceRules'))
const texts = (rule: unknown, member: string) => listOr(at(rule, member)).map(String)

/** What the controller writes besides objects of other people: its own status, records and Events, and its Lease. */
const OWN = [
  ...['experimentdeployments/status', 'experimentdeployments/finalizers', 'experimentpolicies/status'],
  ...['experimentanalysisruns', 'experimentanalysisruns/status'],
].map((resource) => `${GROUP}/${resource}`)
const OTHERS = [...OWN, 'events.k8s.io/events', 'coordination.k8s.io/leases']

/** The expression for workloads; the component for promotions replaces it. */
function workloadExpressions(): readonly string[] {
  const { patches } = parse(readFileSync('manifests/promotion/kustomization.yaml', 'utf8'))
  const [replaced] = listOr(patches).flatMap((patch) =>
    listOr(parse(`${at(patch, 'patch')}`)).filter(
      (operation) => at(operation, 'path') === '/spec/validations/0/expression',
    ),
  )
  const [first] = listOr(at(policy(), 'spec', 'validations'))
  return [`${at(first, 'expression')}`, `${at(replaced, 'value')}`]
}

describe("the policy for the controller's account", () => {
  it('is asked about each write of the controller, also of a status', () => {
    const roles = shipped('base').filter(
      ({ kind, metadata }) => /Role$/.test(kind) && /^experiment-controller/.test(metadata.name),
    )
    const rights = [
      ...roles.flatMap(rightsOf),
      ...['promotion', 'gate', 'analysis', 'cut-over'].flatMap((name) => Object.values(addedBy(name)).flat()),
    ]
    const isWrite = (right: string) => /^(create|update|patch|delete) /.test(right)
    const written = [...new Set(rights.filter(isWrite).map((right) => right.split(' ')[1] ?? ''))]
    const asked = rules().flatMap((rule) =>
      texts(rule, 'apiGroups').flatMap((group) => texts(rule, 'resources').map((resource) => `${group}/${resource}`)),
    )
    expect(written).to.include('argoproj.io/rollouts/status')
    expect(written.filter((resource) => !OTHERS.includes(resource) && !asked.includes(resource))).to.deep.equal([])
  })

  it('knows every kind that can be forked, also with the component for promotions', () => {
    const kinds = Object.values(WORKLOAD_KINDS)
    const plurals = kinds.map(({ plural }) => plural)
    const [rule] = rules()
    expect(texts(rule, 'resources')).to.deep.equal([...plurals, 'controllerrevisions'])
    const groups = new Set(kinds.map(({ apiVersion }) => apiVersion.split('/')[0]))
    expect(texts(rule, 'apiGroups')).to.deep.equal([...groups])
    const listed = `!(request.resource.resource in [${plurals.map((plural) => `'${plural}'`).join(', ')}]) ||`
    for (const expression of workloadExpressions()) expect(expression.startsWith(listed), expression).to.equal(true)
  })
})
