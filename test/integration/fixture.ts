/** The one control plane of a mocha run. `.mocharc.json` requires this file for its global teardown. */
import { globSync, readFileSync } from 'node:fs'
import { type ControlPlane, startControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { mayUse } from '../../sandbox/needs.ts'
import { stopAudited } from '../audited.ts'
import { needs } from '../needs.ts'

/** The waits in a start end earlier, with an error that names the reason. */
const START_MS = 300_000

let starting: Promise<ControlPlane> | undefined

const shippedCrds = (): readonly string[] =>
  globSync('crds/*.yaml', { cwd: new URL('../..', import.meta.url) })
    .map((file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
    .filter((text) => /^kind: CustomResourceDefinition$/m.test(text))

/**
 * The run's control plane, with the shipped CRDs. The first caller starts it, so a run without these tests never does.
 * @throws Error if the tests that run now have not declared it, with `usesControlPlane` or what calls that
 */
export async function controlPlane(): Promise<ControlPlane> {
  mayUse('controlPlane')
  starting ??= startControlPlane({ say: (line) => console.error(line), crds: shippedCrds() })
  return starting
}

/**
 * To be called in a `describe`: the control plane runs before its tests start.
 * @returns a function that returns it while the tests run
 */
export function usesControlPlane(): () => ControlPlane {
  needs('controlPlane')
  let plane: ControlPlane | undefined
  before('the control plane runs', async function () {
    this.timeout(START_MS)
    plane = await controlPlane()
  })
  return () => {
    if (!plane) throw new Error('the control plane is there when tests run, not while they are described')
    return plane
  }
}

/** A new namespace, in which pods can be created, because its `default` ServiceAccount exists. Returns its name. */
export async function aNamespace(): Promise<string> {
  const { api } = await controlPlane()
  const manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'test-' } }
  const { name } = (await api.create('/api/v1/namespaces', manifest)).metadata
  await eventually(`the default ServiceAccount of namespace ${name}`, 20_000, () =>
    api.get(`/api/v1/namespaces/${name}/serviceaccounts/default`),
  )
  return name
}

/**
 * Called by mocha when all tests have run. @throws Error if our accounts tried what they may not do, which ends the run
 */
export async function mochaGlobalTeardown(): Promise<void> {
  const plane = await starting?.catch(() => undefined) // if it did not start, its tests have already reported why
  if (plane) await stopAudited(plane)
}
