import { expect } from 'chai'
import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { at, isObject, listOr, member } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { ExperimentPolicySpec } from '../../common/policy/policy.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { DEADLINE_MS, installation, usesProduct } from './product.ts'

describe('S10: the review of a policy, on the real control plane', () => {
  const place = usesProduct()
  const path = (name?: string) => resourcePath(EXPERIMENT_POLICY, name === undefined ? {} : { name })
  const nameOf = (policy: string) => `${policy}-${place().namespace}`
  /** A policy for this namespace only. */
  const manifest = (name: string, spec: ExperimentPolicySpec) => ({
    apiVersion: EXPERIMENT_POLICY.apiVersion,
    kind: EXPERIMENT_POLICY.kind,
    metadata: { name: nameOf(name) },
    spec: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': place().namespace } }, ...spec },
  })
  const created = (name: string, spec: ExperimentPolicySpec) =>
    place().kubectl(['create', '-f', '-'], JSON.stringify(manifest(name, spec)))
  const patched = (name: string, spec: object) =>
    place().kubectl(['patch', 'expp', nameOf(name), '--type=merge', '-p', JSON.stringify({ spec })])
  const validity = async (name: string) => {
    const found = listOr(at(await place().api.get(path(nameOf(name))), 'status', 'conditions'))
    const condition = found.find((each) => at(each, 'type') === 'Valid')
    return isObject(condition) ? condition : undefined
  }
  after('no policy is left for other suites', async () => {
    for (const name of ['typo', 'stored', 'sound'])
      await place()
        .api.delete(path(nameOf(name)))
        .catch(() => undefined)
  })

  it('S10: refuses a path that matches no field, and names the one that was meant', async () => {
    const deniedOverridePaths = ['spec.template.spec.hostNetwork', 'template.spec.hostNetwrok', '**.hostPath']
    const { code, text } = await created('typo', { deniedOverridePaths })
    expect(code, text).to.equal(1)
    expect(text)
      .to.contain(`The ExperimentPolicy "${nameOf('typo')}" is invalid`)
      .and.to.contain('spec.deniedOverridePaths[0]: "spec.template.spec.hostNetwork" matches no field')
      .and.to.contain('paths begin below spec: template.spec.hostNetwork')
      .and.to.contain('spec.deniedOverridePaths[1]: "template.spec.hostNetwrok" matches no field')
      .and.to.contain('did you mean "template.spec.hostNetwork"?')
      .and.not.to.contain('hostPath')
  })

  it('S10: admits the baseline of the manifests, and says that it is valid', async () => {
    const { code, text } = await place().kubectl(['apply', '--dry-run=server', '-k', 'manifests/policies'])
    expect(code, text).to.equal(0)
    expect(text).not.to.contain('Warning')
    expect(await created('sound', { deniedOverridePaths: ['template.spec.{hostNetwork,hostPID}'] })).to.include({
      code: 0,
    })
    await eventually('the status', DEADLINE_MS, async () =>
      expect(await validity('sound')).to.include({ status: 'True', reason: 'Valid' }),
    )
  })

  it('S10: reports in the status a policy that was stored before, and lets it be changed otherwise', async () => {
    const { removeWebhooks, restoreWebhooks } = await installation()
    await removeWebhooks()
    await place().api.create(path(), manifest('stored', { deniedOverridePaths: ['template.spec.hostNetwrok'] }))
    await restoreWebhooks()
    await eventually('the status to name the path', DEADLINE_MS, async () => {
      const found = await validity('stored')
      expect(found).to.include({ status: 'False', reason: 'NeverMatches' })
      expect(member(found, 'message')).to.contain('spec.deniedOverridePaths[0]: "template.spec.hostNetwrok"')
    })
    const kept = await patched('stored', { maxReplicas: 3 })
    expect(kept.code, kept.text).to.equal(0)
    expect(kept.text).to.contain('Warning: [Policy] spec.deniedOverridePaths[0]: ')
    const worse = await patched('stored', {
      deniedOverridePaths: ['template.spec.hostNetwrok', 'template.spec.hostPdi'],
    })
    expect(worse.code, worse.text).to.equal(1)
    expect(worse.text).to.contain('hostPdi').and.not.to.contain('hostNetwrok')
    const mended = await patched('stored', { deniedOverridePaths: ['template.spec.hostNetwork'] })
    expect(mended.code, mended.text).to.equal(0)
    expect(mended.text).not.to.contain('Warning')
    await eventually('the status to say so', DEADLINE_MS, async () =>
      expect(await validity('stored')).to.include({ status: 'True', reason: 'Valid' }),
    )
  })
})
