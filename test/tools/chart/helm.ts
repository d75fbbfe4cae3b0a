import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../../common/api/object.ts'
import { goTool } from '../../../sandbox/go-tools.ts'
import { run } from '../../../sandbox/run.ts'

/** The folder of the chart. */
export const CHART = join(import.meta.dirname, '../../../charts/experiment-deployment-controller')

/** Tells the objects of an installation apart. */
export const idOf = ({ kind, metadata: { name, namespace = '' } }: KubeObject): string =>
  [kind, namespace, name].filter((each) => each !== '').join('/')

/** The values without which nothing is installed. */
export const IMAGE = { image: { repository: 'registry.example/experiment-deployment-controller' } }

/** What `helm` answers to these arguments. `values`: as a file of values on standard input. */
export const helm = async (args: readonly string[], values: object = IMAGE) =>
  run(await goTool('helm'), [...args, '--values=-'], { input: JSON.stringify(values) })

/** The objects that the chart makes. @throws Error with what Helm says */
export async function template(values: object, namespace = 'experiment-controller-system') {
  const { code, stdout, stderr } = await helm(['template', 'experiments', CHART, `--namespace=${namespace}`], {
    ...IMAGE,
    ...values,
  })
  if (code !== 0) throw new Error(stderr.trim())
  return parseAllDocuments(stdout)
    .map((document): KubeObject | null => document.toJS())
    .filter((object) => object !== null)
}

/** What Helm says to refuse these values. */
export const refusal = (values: object): Promise<string> =>
  template(values).then(
    () => 'it is not refused',
    (error: Error) => error.message,
  )
