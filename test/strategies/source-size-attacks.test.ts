/** The attacks of docs/attacks.md on the size of a source. */
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, SCALED } from '../../common/api/names.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { sizeLabel } from '../../common/scaling/record.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, EVERYTHING } from '../../sandbox/installation.ts'
import { sizeWrites } from '../../sandbox/size-writes.ts'
import { imageOverride, UID } from '../builders.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { canariesIn } from '../integration/canaries.ts'
import { condition, DEADLINE_MS } from '../integration/product.ts'
import { IMAGE } from './blue-greens.ts'
import { usesDeployments } from './gated-forks.ts'
import { sizedSourcesIn } from './sized-sources.ts'

const SIZE = 3
const STEPS = [{ setWeight: 60 }, { pause: {} }]
/** May do everything with experiments, and create and read Deployments, but not change them. */
const AUTHOR = 'author'
/** May do everything in the namespace. */
const OWNER = 'owner'

describe('attacks on the size of a source, on the real control plane', function () {
  this.timeout(200_000)
  const plane = usesOwnControlPlane(crds)
  const place = usesDeployments(EVERYTHING, plane)
  const { says, shows, setStatus, fork } = canariesIn(place)
  const { aSizedSource, inside, comeToSizes, isItselfAgain, sizesOf } = sizedSourcesIn(place)

  const asUser = async (user: string, args: readonly string[], input?: JsonObject) =>
    (await place().kubectl([`--as=${user}`, ...args], input && JSON.stringify(input))).text
  const done = async (args: readonly string[]) => {
    const { code, text } = await place().kubectl(args)
    expect(code, text).to.equal(0)
  }
  const manifest = (name: string, of: JsonObject = {}): JsonObject => ({
    ...{ apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion, kind: EXPERIMENT_DEPLOYMENT.kind, metadata: { name } },
    spec: {
      sourceRef: { kind: 'Deployment', name },
      overrideType: 'Strategic',
      overrideSpec: imageOverride(IMAGE),
      strategy: { canary: { scaleDownSource: true, steps: STEPS } },
      ...of,
    },
  })
  /** A canary whose source has one pod, and its fork two. */
  const aSmallSource = async (name: string) => {
    await aSizedSource(name, { replicas: SIZE, annotations: {} })
    await inside(name, STEPS)
    await shows(name, '1/6 Paused')
    await comeToSizes(name, [2, 1])
  }
  const aborted = async (name: string, size = SIZE) => {
    await says(name, 'abort')
    await shows(name, '1/1 Aborted')
    await isItselfAgain(name, size)
    expect((await sizesOf(name)).fork).to.equal(0)
  }
  /** The numbers that the controller wrote into the source. */
  const written = async (name: string) =>
    (await sizeWrites(plane().auditLog, `"${name}"`)).flatMap(({ to, code }) => (code === 200 ? (to ?? []) : []))

  before('two users', async () => {
    await done(['create', 'role', AUTHOR, '--verb=create,get', '--resource=deployments.apps'])
    await done(['create', 'rolebinding', AUTHOR, `--role=${AUTHOR}`, `--user=${AUTHOR}`])
    const edits = ['--clusterrole=experiment-editor', `--user=${AUTHOR}`]
    await done(['create', 'rolebinding', `${AUTHOR}-edits`, ...edits])
    await done(['create', 'rolebinding', OWNER, '--clusterrole=cluster-admin', `--user=${OWNER}`])
  })

  it('A69: who may not patch a source makes it no smaller, by no request that lets a run go on', async () => {
    await aSmallSource('a69')
    await aSizedSource('a69-other', { replicas: SIZE, annotations: {} })
    const needs = /needs .*"patch deployments.apps\/a69/
    await eventually('the permissions of the author', DEADLINE_MS, async () =>
      expect(await asUser(AUTHOR, ['create', '-f', '-'], manifest('a69-other'))).to.match(needs),
    )
    const command = ['annotate', '--overwrite', 'expd/a69', 'experiment-controller.example.com/command=resume']
    expect(await asUser(AUTHOR, command)).to.match(needs)
    const edit = JSON.stringify({ spec: { strategy: { canary: { steps: [{ setWeight: 90 }] } } } })
    expect(await asUser(AUTHOR, ['patch', 'expd/a69', '--type=merge', '-p', edit])).to.match(needs)
    await aborted('a69')
    expect(await written('a69-other')).to.deep.equal([])
  })

  it('A70: a label by hand makes no source smaller, and is of no use to its canary', async () => {
    await aSizedSource('a70', { replicas: SIZE, annotations: {} })
    await done(['label', 'deployment/a70', `${SCALED}=${sizeLabel({ experiment: UID, size: 1, written: SIZE })}`])
    expect(await asUser(OWNER, ['create', '-f', '-'], manifest('a70'))).to.contain(
      `the experiment with the uid ${UID} has made deployment/a70 smaller`,
    )
    await aSmallSource('a70-own')
    const { metadata } = await place().experimentAt('a70-own')
    const label = sizeLabel({ experiment: metadata.uid, size: 1, written: SIZE })
    await done(['label', '--overwrite', 'deployment/a70', `${SCALED}=${label}`])
    await aborted('a70-own')
    expect((await sizesOf('a70')).source).to.equal(SIZE)
    expect(await written('a70')).to.deep.equal([])
  })

  it('A71: a forged size in the status is refused, and makes no source smaller', async () => {
    await aSmallSource('a71')
    const { uid } = (await place().deployment('a71')).metadata
    const scaled = { uid, size: 1, written: 1 }
    const forged = JSON.stringify({ status: { strategy: { scaled } } })
    expect(await asUser(OWNER, ['patch', 'expd/a71', '--subresource=status', '--type=merge', '-p', forged])).to.contain(
      'experiment-status',
    )
    // an admin of the cluster may write it, but the label on the source counts
    await setStatus('a71', { strategy: { scaled } })
    await aborted('a71')
    expect(await written('a71')).to.deep.equal([2, 1, 2, 3])
  })

  it('A72: the number of kubectl scale is never written over, and the run waits', async () => {
    await aSmallSource('a72')
    await done(['scale', 'deployment/a72', '--replicas=2'])
    await place().shows('a72', 'SourceScaled', (found) => condition(found, 'Paused')?.reason === 'SourceScaled')
    await comeToSizes('a72', [1, 2]) // 2 and 25 %, rounded up, are 3
    await aborted('a72', 2)
    expect(await written('a72')).to.deep.equal([2, 1])
  })

  it('A74: a fork that is deleted while it serves is followed by all pods of the source', async () => {
    await aSmallSource('a74')
    await done(['delete', `deployment/${(await fork('a74')).metadata.name}`])
    await place().shows('a74', 'Aborted', ({ status }) => status?.strategy?.phase === 'Aborted')
    await isItselfAgain('a74', SIZE)
  })
})
