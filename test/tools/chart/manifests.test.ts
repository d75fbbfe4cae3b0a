import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { installationOf, kustomizeBy, type Scope, type Variant, WATCHED } from '../../../manifests/chart/render.ts'
import { COMPONENTS } from '../../../manifests/components.ts'
import { preparedKubectl } from '../../../sandbox/prepare.ts'
import { needs } from '../../needs.ts'
import { CHART, helm, IMAGE, idOf, template } from './helm.ts'

const IS_WHOLE = process.env.WHOLE !== undefined
/** Folders that are chosen as a whole. */
const EXTRAS = ['pack', 'monitoring']
const CHOICES = [...COMPONENTS.map(({ folder }) => folder), ...EXTRAS]

/** What is chosen for itself, and not because something else needs it. */
const chosenFreely = (chosen: readonly string[]): readonly string[] =>
  chosen.filter((each) => !COMPONENTS.some(({ folder, needs: need }) => need === each && chosen.includes(folder)))

/** The combinations of at most so many choices, each with what it needs. */
function combinations(most: number): readonly (readonly string[])[] {
  let all: readonly (readonly string[])[] = [[]]
  for (const each of CHOICES) all = all.concat(all.map((some) => [...some, each]))
  const isComplete = (some: readonly string[]) =>
    COMPONENTS.every(({ folder, needs: need }) => !some.includes(folder) || !need || some.includes(need))
  return all.filter((some) => chosenFreely(some).length <= most && isComplete(some))
}

/** The values of the chart that make what kustomize makes of the folders. */
function valuesOf({ scope, certificates }: Omit<Variant, 'components'>, chosen: readonly string[]) {
  const isChosen = (folder: string) => chosen.includes(folder)
  const [analysis, gate, cutOver, promotion] = ['analysis', 'gate', 'cut-over', 'promotion'].map(isChosen)
  return {
    image: { ...IMAGE.image, tag: '0.1.0' },
    components: { analysis, gate, cutOver, promotion },
    openshift: isChosen('openshift'),
    certificates: { mode: certificates },
    pack: { enabled: isChosen('pack') },
    monitoring: { enabled: isChosen('monitoring') },
    ...(scope === 'namespace' ? { watchNamespace: WATCHED } : {}),
  }
}

const IMAGE_OF_MANIFESTS = /"image":"experiment-deployment-controller:/
const IMAGE_OF_VALUES = `"image":"${IMAGE.image.repository}:`

/** Objects by their names, as both sides must make them: Helm makes the namespace, and only a chart keeps CRDs. */
const comparable = (objects: readonly KubeObject[]): ReadonlyMap<string, unknown> =>
  new Map(
    objects
      .filter(({ kind }) => kind !== 'Namespace')
      .map((object) => {
        const { 'helm.sh/resource-policy': _, ...annotations } = object.metadata.annotations ?? {}
        const metadata = { ...object.metadata, annotations }
        return [
          idOf(object),
          JSON.parse(JSON.stringify({ ...object, metadata }).replace(IMAGE_OF_MANIFESTS, IMAGE_OF_VALUES)),
        ]
      }),
  )

describe('the chart', function () {
  this.timeout(600_000)
  needs('controlPlane', 'helm')

  it('passes `helm lint`', async () => {
    const { code, stdout, stderr } = await helm(['lint', '--strict', CHART])
    expect(code, stdout + stderr).to.equal(0)
    expect(stdout)
      .to.contain('0 chart(s) failed')
      .and.not.match(/\[(WARNING|ERROR)\]/)
  })

  for (const scope of ['cluster', 'namespace'] as readonly Scope[])
    for (const certificates of ['certManager', 'script'] as const)
      it(`makes what kustomize makes: for a ${scope}, with certificates by ${certificates}`, async () => {
        const kustomize = kustomizeBy(await preparedKubectl(() => undefined))
        const extras = new Map(
          await Promise.all(
            EXTRAS.map(async (folder) => [folder, await kustomize({ resources: [folder], components: [] })] as const),
          ),
        )
        const built = new Map<string, Promise<readonly KubeObject[]>>()
        const installed = (components: readonly string[]) => {
          const key = components.join()
          const found = built.get(key) ?? installationOf(kustomize, { scope, certificates, components })
          built.set(key, found)
          return found
        }
        for (const chosen of combinations(IS_WHOLE ? CHOICES.length : 2)) {
          const components = chosen.filter((each) => !EXTRAS.includes(each))
          const more = chosen.flatMap((each) => extras.get(each) ?? [])
          const [wanted, made] = await Promise.all([
            installed(components),
            template(valuesOf({ scope, certificates }, chosen)),
          ])
          const [ours, theirs] = [comparable([...wanted, ...more]), comparable(made)]
          const differing = [...ours].filter(([name, object]) => !isDeepStrictEqual(theirs.get(name), object))
          expect(made, `${chosen}: as many objects`).to.have.length(ours.size)
          expect(
            differing.map(([name]) => name),
            `${chosen}: the objects that differ`,
          ).to.deep.equal([])
        }
      })
})
