import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { at, type JsonObject } from '../../common/json/json.ts'
import { auditEvents } from '../../sandbox/audit.ts'
import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { isOfSource } from '../../sandbox/source-writes.ts'
import { NAMESPACE, usesOwnProduct } from '../clusters/own-product.ts'
import { imagesOf } from '../integration/product.ts'

const NEW_IMAGE = 'registry.example/cart:2'
/** An image, and fields that the manifest of the source leaves to the API server. */
const DEFAULTED = { terminationGracePeriodSeconds: 10, securityContext: { runAsUser: 1000 } }
const OVERRIDE = { template: { spec: { ...DEFAULTED, containers: [{ name: 'cart', image: NEW_IMAGE }] } } }

/** How a team brings its manifest to the cluster, and what shows that it does. */
interface Way {
  readonly by: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly apply: readonly string[]
}

const WAYS: Readonly<Record<string, Way>> = {
  'Argo CD': {
    by: 'Argo CD',
    annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/cart' },
    apply: ['apply', '--field-manager=argocd-controller', '-f', '-'],
  },
  Flux: {
    by: 'Flux',
    labels: { 'kustomize.toolkit.fluxcd.io/name': 'shop', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' },
    apply: ['apply', '--server-side', '--force-conflicts', '--field-manager=kustomize-controller', '-f', '-'],
  },
  Helm: {
    by: 'Helm',
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': NAMESPACE },
    apply: ['apply', '--field-manager=helm', '-f', '-'],
  },
  'kubectl apply --server-side': {
    by: 'a server-side apply of "kubectl"',
    apply: ['apply', '--server-side', '-f', '-'],
  },
}

const manifestOf = (name: string, { labels = {}, annotations = {} }: Partial<Way>) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels, annotations },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] },
    },
  },
})

describe('promotion of a source that somebody declares', () => {
  const { plane, place } = usesOwnProduct(() => WITH_PROMOTION)

  const succeeds = async (args: readonly string[], input?: string): Promise<string> => {
    const { code, text } = await place().kubectl(args, input)
    expect(code, text).to.equal(0)
    return text
  }
  const phase = (name: string, wanted: string) =>
    place().shows(name, wanted, ({ status }) => status?.strategy?.phase === wanted)

  /** What kubectl says to a new experiment that is promoted without a further word. */
  function created(name: string, overrideType: string): Promise<string> {
    const manifest = {
      apiVersion: 'experimentcontroller.example.com/v1alpha1',
      kind: 'ExperimentDeployment',
      metadata: { name },
      spec: {
        sourceRef: { kind: 'Deployment', name },
        overrideSpec: OVERRIDE,
        overrideType,
        strategy: { canary: { steps: [{ setWeight: 30 }], scaleDownDelaySeconds: 1 } },
        promotion: { mode: 'Automatic' },
      },
    }
    return succeeds(['create', '-f', '-'], JSON.stringify(manifest))
  }

  /** The manifest with the patch, as kustomize builds it. */
  async function built(manifest: JsonObject, patch: string): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'built-'))
    try {
      const target = { kind: 'Deployment' }
      const kustomization = { resources: ['manifest.json'], patches: [{ target, patch }] }
      writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
      writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization))
      return await succeeds(['kustomize', folder])
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  /** The writes of our accounts to the Deployment `name`. */
  async function ourWritesOf(name: string): Promise<readonly string[]> {
    const writes: string[] = []
    for await (const event of auditEvents(plane().auditLog, `"${name}"`)) {
      const isOurs = /^system:serviceaccount:[^:]+:experiment-/.test(event.user.username)
      const isWrite = !['get', 'list', 'watch'].includes(event.verb)
      if (isOurs && isWrite && isOfSource(event) && event.objectRef?.name === name) writes.push(event.verb)
    }
    return writes
  }

  const patchOf = async (name: string): Promise<string> => {
    const { status } = await place().shows(name, 'a patch', (of) => of.status?.promotion?.patch !== undefined)
    return status?.promotion?.patch ?? ''
  }

  for (const [index, [tool, way]] of Object.entries(WAYS).entries())
    for (const overrideType of [index % 2 === 0 ? 'Merge' : 'Strategic'])
      it(`A source of ${tool} is left to it: a ${overrideType} is exported, and closed by its own release`, async () => {
        const short = `${tool.toLowerCase().replaceAll(/[^a-z]+/g, '-')}-${overrideType.toLowerCase()}`
        const [patched, merged] = [`${short}-patched`, `${short}-merged`]
        for (const name of [patched, merged]) {
          await succeeds(way.apply, JSON.stringify(manifestOf(name, way)))
          expect(await created(name, overrideType))
            .to.contain('[SourceIsDeclared]')
            .and.to.contain(way.by)
        }
        for (const name of [patched, merged]) {
          const { status } = await place().shows(
            name,
            'a wait for its source',
            (of) => of.status?.conditions?.find(({ type }) => type === 'Paused')?.reason === 'AwaitingSource',
          )
          expect(status?.promotion).to.deep.include({ mode: 'Export', declaredBy: way.by })
        }
        await succeeds(['patch', `deployment/${patched}`, '--type=json', '-p', await patchOf(patched)])
        await succeeds(way.apply, await built(manifestOf(merged, way), await patchOf(merged)))
        for (const name of [patched, merged]) {
          await phase(name, 'Promoted')
          const source = await place().deployment(name)
          expect(imagesOf(source)).to.deep.equal([NEW_IMAGE])
          expect(at(source, 'spec', 'template', 'spec')).to.deep.include(DEFAULTED)
          expect(await ourWritesOf(name), name).to.deep.equal([])
        }
      })

  it('A source of kubectl apply is written, and the manifest with the patch changes nothing afterwards', async () => {
    const manifest = manifestOf('applied', {})
    await succeeds(['apply', '-f', '-'], JSON.stringify(manifest))
    expect(await created('applied', 'Strategic')).not.to.contain('[SourceIsDeclared]')
    await phase('applied', 'Promoted')
    expect(await ourWritesOf('applied')).to.deep.equal(['patch'])
    const after = await built(manifest, await patchOf('applied'))
    const { spec } = await place().deployment('applied')
    expect(await place().kubectl(['diff', '-f', '-'], after)).to.deep.equal({ code: 0, text: '' })
    // the annotation of kubectl apply changes, and a Deployment counts that in its generation
    await succeeds(['apply', '-f', '-'], after)
    const applied = await place().deployment('applied')
    expect(applied.spec).to.deep.equal(spec)
    await succeeds(['apply', '-f', '-'], after)
    expect((await place().deployment('applied')).metadata.generation).to.equal(applied.metadata.generation)
  })
})
