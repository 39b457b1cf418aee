import { allPermissions, permissionTable, type Permissions } from '@switchyard/tenancy';

/** All permissions, none, each area alone, and each kind alone. */
export const permissionSets: readonly (readonly [string, Permissions])[] = [
  ['everything', allPermissions],
  ['nothing', {}],
  ...Object.entries(permissionTable).flatMap(([area, kinds]): (readonly [string, Permissions])[] => [
    [area, { [area]: kinds }],
    ...(kinds.length === 1
      ? []
      : kinds.map((kind): readonly [string, Permissions] => [`${area} ${kind}`, { [area]: [kind] }])),
  ]),
];
