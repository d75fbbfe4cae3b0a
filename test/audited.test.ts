import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { SYSTEM_NAMESPACE } from '../sandbox/installation.ts'
import { stopAudited, USED_RIGHTS, unusedOfComponents, unusedRights, unusedRightsWithoutAnalyses } from './audited.ts'

const ACCOUNT = `system:serviceaccount:${SYSTEM_NAMESPACE}:experiment-controller`

interface Entry {
  readonly verb: string
  readonly ref?: object
  readonly body?: object
  readonly agent?: string
  readonly code?: number
  readonly decision?: string
}

const line = ({ verb, ref, body, agent = 'experiment-controller/0.1.0', code = 200, decision = 'allow' }: Entry) =>
  JSON.stringify({
    verb,
    user: { username: ACCOUNT },
    userAgent: agent,
    requestURI: '/some/path',
    ...(ref ? { objectRef: ref } : {}),
    ...(body ? { requestObject: body } : {}),
    responseStatus: { code },
    annotations: { 'authorization.k8s.io/decision': decision },
  })
const DEPLOYMENTS = { apiGroup: 'apps', resource: 'deployments', namespace: 'shop', name: 'cart-experiment-cd1aa1c99c' }

describe('the rights in an audit log', () => {
  let folder = ''
  let before: string | undefined
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audited-'))
    before = process.env[USED_RIGHTS]
    process.env[USED_RIGHTS] = join(folder, 'used')
    mkdirSync(join(folder, 'used'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
    if (before === undefined) delete process.env[USED_RIGHTS]
    else process.env[USED_RIGHTS] = before
  })

  /** What a control plane with these entries leaves, and the error of its end. */
  const ended = (...entries: readonly Entry[]) => endedWith([], entries)

  /** The same of one whose programs ended in these ways, although nobody expected that. */
  async function endedWith(unexpectedExits: readonly string[], entries: readonly Entry[]) {
    const auditLog = join(folder, 'audit.log')
    writeFileSync(auditLog, `${entries.map(line).join('\n')}\n`)
    let stops = 0
    const stop = async () => {
      stops += 1
    }
    // the last programs end when the control plane is stopped
    const error = await stopAudited({ auditLog, stop, unexpectedExits: () => (stops > 0 ? unexpectedExits : []) }).then(
      () => '',
      String,
    )
    const used = readdirSync(join(folder, 'used')).flatMap((file) =>
      readFileSync(join(folder, 'used', file), 'utf8').split('\n'),
    )
    expect(stops).to.equal(1)
    return { error, used: used.filter((right) => right !== '').sort() }
  }

  it('are those of our programs, once each; an apply that creates needs two', async () => {
    const { used, error } = await ended(
      { verb: 'list', ref: { resource: 'services' } },
      { verb: 'list', ref: { resource: 'services' } },
      { verb: 'patch', ref: DEPLOYMENTS, code: 201 },
      { verb: 'patch', ref: { ...DEPLOYMENTS, subresource: 'status' } },
      { verb: 'get', ref: DEPLOYMENTS },
      { verb: 'get' },
      { verb: 'delete', ref: DEPLOYMENTS, agent: 'kubectl/v1.36.0', decision: 'forbid' },
    )
    expect(used).to.deep.equal([
      'experiment-controller: create apps/deployments',
      'experiment-controller: get apps/deployments',
      'experiment-controller: list /services',
      'experiment-controller: patch apps/deployments',
      'experiment-controller: patch apps/deployments/status',
    ])
    expect(error).to.equal('')
  })

  it('end a run with an error if one was missing', async () => {
    const { error, used } = await ended({ verb: 'delete', ref: DEPLOYMENTS, decision: 'forbid' })
    expect(error).to.contain('experiment-controller: delete /some/path')
    expect(used).to.deep.equal([])
  })

  it('end a run with an error if a source was written that nobody has promoted', async () => {
    const { error } = await ended({ verb: 'patch', ref: { ...DEPLOYMENTS, name: 'cart' } })
    expect(error).to.contain('patch deployments/shop/cart writes a source')
  })

  it('end a run with an error if a status has a command without its namespace', async () => {
    const body = {
      metadata: {},
      status: { conditions: [{ message: 'run: kubectl annotate --overwrite expd/cart a=b' }] },
    }
    const { error } = await ended({
      verb: 'patch',
      ref: { resource: 'experimentdeployments', namespace: 'shop' },
      body,
    })
    expect(error).to.contain('without their namespace:\nkubectl annotate --overwrite expd/cart a=b')
  })

  it('end a run with an error if one of our programs ended and was not to, beside what else was wrong', async () => {
    const { error } = await endedWith(
      ['controller ended by itself (code 1)'],
      [{ verb: 'delete', ref: DEPLOYMENTS, decision: 'forbid' }],
    )
    expect(error).to.contain('experiment-controller: delete /some/path\ncontroller ended by itself (code 1)')
  })

  it('are compared with what the roles grant', async () => {
    const all = unusedRights(join(folder, 'used'))
    const right = /^manifests\/(base, Cluster|namespaced, )Role experiment-controller: get apps\/deployments$/
    expect(all.filter((each) => right.test(each))).to.have.length(2)
    await ended({ verb: 'get', ref: DEPLOYMENTS })
    expect(unusedRights(join(folder, 'used'))).to.deep.equal(all.filter((each) => !right.test(each)))
  })

  it('are compared without those of analyses if their suite has not run', () => {
    const ofAnalyses = unusedRights(join(folder, 'used')).filter((each) => each.includes('experimentanalysis'))
    expect(ofAnalyses).to.include(
      'manifests/base, ClusterRole experiment-controller: list experimentcontroller.example.com/experimentanalysisproviders',
    )
    const others = unusedRightsWithoutAnalyses(join(folder, 'used'))
    expect(others).to.deep.equal(unusedRights(join(folder, 'used')).filter((each) => !ofAnalyses.includes(each)))
    expect(others).to.not.deep.equal([])
  })

  it('are compared with what each component adds', async () => {
    const right = /^manifests\/(\S+), Role experiment-controller: patch \/services$/
    const ofServices = () => unusedOfComponents(join(folder, 'used')).flatMap((each) => right.exec(each)?.[1] ?? [])
    expect(ofServices()).to.deep.equal(['cut-over'])
    await ended({ verb: 'patch', ref: { resource: 'services' } })
    expect(ofServices()).to.deep.equal([])
  })

  it('hold that of the finalizers for used when an object with a blocking owner was created', async () => {
    const right = 'experiment-controller: update experimentcontroller.example.com/experimentdeployments/finalizers'
    const ownedBy = (of: object) => ({
      metadata: { ownerReferences: [{ kind: 'ExperimentDeployment', blockOwnerDeletion: true, ...of }] },
    })
    const apply = { verb: 'patch', ref: DEPLOYMENTS, code: 201 }
    const others = await ended(
      { ...apply, code: 200, body: ownedBy({}) },
      { ...apply, code: 403, body: ownedBy({}) },
      { ...apply, body: ownedBy({ blockOwnerDeletion: false }) },
      { ...apply, body: ownedBy({ kind: 'Deployment' }) },
      { ...apply, body: { metadata: {} } },
    )
    expect(others.used).to.not.include(right)
    expect(unusedRights(join(folder, 'used')).filter((each) => each.endsWith(right))).to.have.length(2)
    const { used } = await ended({ ...apply, body: ownedBy({}) })
    expect(used).to.include(right)
    expect(unusedRights(join(folder, 'used')).filter((each) => each.endsWith(right))).to.deep.equal([])
  })
})
