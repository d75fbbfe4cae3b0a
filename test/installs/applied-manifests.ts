import { expect } from 'chai'
import { at, listOr } from '../../common/json/json.ts'
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { run } from '../../sandbox/run.ts'

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1'
const NAME = 'experiment-deployment-controller'

/** What an admin does with the manifests in the cluster of `plane`. Its tests change that cluster. */
export function usesManifests(plane: () => ControlPlane) {
  const apply = (folder: string, ...flags: readonly string[]) =>
    plane().kubectl(['apply', '-k', new URL(`../../manifests/${folder}`, import.meta.url).pathname, ...flags])

  /** Expects that a folder is applied without a refusal and without a warning. */
  async function isAccepted(folder: string, ...flags: readonly string[]): Promise<void> {
    const { code, stderr } = await apply(folder, ...flags)
    expect(stderr).to.equal('')
    expect(code).to.equal(0)
  }

  /** The output of the script for the default installation. */
  async function certs(): Promise<string> {
    const env = { ...process.env, KUBECONFIG: plane().kubeconfig }
    const { stdout, stderr } = await run(process.execPath, ['certs/main.ts'], { env })
    return `${stdout}${stderr}`
  }

  /** The two webhook configurations. */
  const configurations = () =>
    Promise.all(
      ['mutating', 'validating'].map((kind) =>
        plane().api.get(`${CONFIGURATIONS}/${kind}webhookconfigurations/${NAME}`),
      ),
    )

  /** What the script sets in each webhook of them: the certificates of the authority, and the path. */
  const certified = async () =>
    (await configurations())
      .flatMap(({ webhooks }) => listOr(webhooks).map((webhook) => at(webhook, 'clientConfig')))
      .map((config) => [at(config, 'caBundle'), at(config, 'service', 'path')])

  return { apply, isAccepted, certs, configurations, certified }
}
