import { SCALED, SCALED_BY } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { RESOURCES } from '../../common/kube/client/resources.ts'
import { shortenedList } from '../../common/text/list.ts'
import { text } from '../../common/view/text.ts'
import { pluginCommand } from '../render/details.ts'
import { said } from '../render/said.ts'
import { type Check, type Facts, type Finding, notKnown, ok, warn } from './check.ts'

/** The most sources that are named. */
const MAX_NAMED = 4

/** Whether a canary keeps a source small: then nobody should change the installation. */
export const scaledSources: Check = { name: 'scaled-sources', needs: [], look }

async function look({ cluster, installation: { served } }: Facts): Promise<Finding> {
  const place = served === undefined ? {} : { namespace: served }
  const found = await cluster.list(RESOURCES.Deployment, place, SCALED)
  if (found.is === 'unknown') return notKnown(text(found.because))
  const sources = found.is === 'known' ? found.value : []
  if (sources.length === 0) return ok(said`no experiment has made its source smaller`)
  const names = sources.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`)
  const shown = [shortenedList(names, MAX_NAMED)].flat()[0] ?? ''
  const commands = text(commandsOf(sources))
  return warn(
    said`smaller than without their experiments: ${text(shown)}`,
    commands === ''
      ? said`Before an upgrade, a removal or another component, abort their experiments.`
      : said`Before an upgrade, a removal or another component, abort their experiments: ${commands}`,
  )
}

/** A namespace and a name as Kubernetes has them: the annotation is somebody's text, and the command may be copied. */
const EXPERIMENT = /^([a-z0-9][-a-z0-9]{0,62})\/([a-z0-9][-.a-z0-9]{0,252})$/

const commandsOf = (sources: readonly KubeObject[]): string => {
  const commands = sources.flatMap(({ metadata: { annotations } }) => {
    const [, namespace, name] = EXPERIMENT.exec(annotations?.[SCALED_BY] ?? '') ?? []
    if (namespace === undefined || name === undefined) return []
    return pluginCommand('abort', { namespace: text(namespace), name: text(name) })
  })
  return [...new Set(commands)].slice(0, MAX_NAMED).join('; ')
}
