import { TEMPLATE } from '../../common/analysis/kinds/template.ts'
import { ANALYSIS_TEMPLATE, CLUSTER_ANALYSIS_TEMPLATE } from '../../common/api/names.ts'
import { crdManifest } from '../schema/kinds.ts'
import { type Note, schemaOf } from '../schema/schema.ts'
import { metricsNote } from './analysis.ts'

const NOTE: Note = {
  about: 'The metrics, and the args whose values an analysis gives.',
  members: {
    args: {
      about: 'What can be different from experiment to experiment: at most 16. The metrics use {{args.NAME}}.',
      keys: ['name'],
      members: {
        name: 'The name of the arg.',
        value: 'The default. Without it every analysis that uses the template must give a value.',
      },
    },
    metrics: metricsNote('The metrics: at most 8. Each needs a name of its own.'),
  },
}

/** The CRD of the templates of a namespace. */
export const templateCrd = (): string =>
  crdManifest({
    of: ANALYSIS_TEMPLATE,
    scope: 'Namespaced',
    shortName: 'expdtmpl',
    columns: [],
    comment: 'Metrics that the experiments of a namespace use.',
    about:
      'Metrics for the analyses of experiments in this namespace. An edit concerns only the analysis runs that begin later.',
    spec: schemaOf(TEMPLATE, NOTE),
  })

/** The CRD of the templates for all namespaces, with the same schema. */
export const clusterTemplateCrd = (): string =>
  crdManifest({
    of: CLUSTER_ANALYSIS_TEMPLATE,
    scope: 'Cluster',
    shortName: 'cexpdtmpl',
    columns: [],
    comment: 'Metrics that the experiments of all namespaces use.',
    about:
      'Metrics for the analyses of experiments in all namespaces. Its queries may be free. An edit concerns only the analysis runs that begin later.',
    spec: schemaOf(TEMPLATE, NOTE),
  })
