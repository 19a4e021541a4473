/* SPDX-License-Identifier: MIT
 *
 * prov_oci_region - see prov_oci_region.h.  The table is that of Oracle's SDK
 * for JavaScript, 2.142.1: key, name, second-level domain of the realm.
 */
#include "cloud/prov_oci_region.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/uri.h"

#define OC1 "oraclecloud.com"

static const struct row {
  const char *key, *name, *domain;
} rows[] = {
    {"yny", "ap-chuncheon-1", OC1},
    {"bom", "ap-mumbai-1", OC1},
    {"hyd", "ap-hyderabad-1", OC1},
    {"icn", "ap-seoul-1", OC1},
    {"syd", "ap-sydney-1", OC1},
    {"mel", "ap-melbourne-1", OC1},
    {"kix", "ap-osaka-1", OC1},
    {"nrt", "ap-tokyo-1", OC1},
    {"yul", "ca-montreal-1", OC1},
    {"yyz", "ca-toronto-1", OC1},
    {"fra", "eu-frankfurt-1", OC1},
    {"zrh", "eu-zurich-1", OC1},
    {"gru", "sa-saopaulo-1", OC1},
    {"cwl", "uk-cardiff-1", OC1},
    {"lhr", "uk-london-1", OC1},
    {"iad", "us-ashburn-1", OC1},
    {"phx", "us-phoenix-1", OC1},
    {"ams", "eu-amsterdam-1", OC1},
    {"jed", "me-jeddah-1", OC1},
    {"sjc", "us-sanjose-1", OC1},
    {"dxb", "me-dubai-1", OC1},
    {"scl", "sa-santiago-1", OC1},
    {"vcp", "sa-vinhedo-1", OC1},
    {"mtz", "il-jerusalem-1", OC1},
    {"mrs", "eu-marseille-1", OC1},
    {"sin", "ap-singapore-1", OC1},
    {"auh", "me-abudhabi-1", OC1},
    {"lin", "eu-milan-1", OC1},
    {"arn", "eu-stockholm-1", OC1},
    {"jnb", "af-johannesburg-1", OC1},
    {"cdg", "eu-paris-1", OC1},
    {"qro", "mx-queretaro-1", OC1},
    {"mad", "eu-madrid-1", OC1},
    {"ord", "us-chicago-1", OC1},
    {"mty", "mx-monterrey-1", OC1},
    {"aga", "us-saltlake-2", OC1},
    {"bog", "sa-bogota-1", OC1},
    {"vap", "sa-valparaiso-1", OC1},
    {"xsp", "ap-singapore-2", OC1},
    {"ruh", "me-riyadh-1", OC1},
    {"onm", "ap-delhi-1", OC1},
    {"hsg", "ap-batam-1", OC1},
    {"orf", "eu-madrid-3", OC1},
    {"nrq", "eu-turin-1", OC1},
    {"jbp", "ap-kulai-2", OC1},
    {"lej", "af-casablanca-1", OC1},
    {"lfi", "us-langley-1", "oraclegovcloud.com"},
    {"luf", "us-luke-1", "oraclegovcloud.com"},
    {"ric", "us-gov-ashburn-1", "oraclegovcloud.com"},
    {"pia", "us-gov-chicago-1", "oraclegovcloud.com"},
    {"tus", "us-gov-phoenix-1", "oraclegovcloud.com"},
    {"ltn", "uk-gov-london-1", "oraclegovcloud.uk"},
    {"brs", "uk-gov-cardiff-1", "oraclegovcloud.uk"},
    {"nja", "ap-chiyoda-1", "oraclecloud8.com"},
    {"ukb", "ap-ibaraki-1", "oraclecloud8.com"},
    {"mct", "me-dcc-muscat-1", "oraclecloud9.com"},
    {"ibr", "me-ibri-1", "oraclecloud9.com"},
    {"wga", "ap-dcc-canberra-1", "oraclecloud10.com"},
    {"bgy", "eu-dcc-milan-1", "oraclecloud14.com"},
    {"mxp", "eu-dcc-milan-2", "oraclecloud14.com"},
    {"snn", "eu-dcc-dublin-2", "oraclecloud14.com"},
    {"dtm", "eu-dcc-rating-2", "oraclecloud14.com"},
    {"dus", "eu-dcc-rating-1", "oraclecloud14.com"},
    {"ork", "eu-dcc-dublin-1", "oraclecloud14.com"},
    {"beg", "eu-jovanovac-1", "oraclecloud20.com"},
    {"vll", "eu-madrid-2", "oraclecloud.eu"},
    {"str", "eu-frankfurt-2", "oraclecloud.eu"},
    {"avz", "eu-dcc-zurich-1", "oraclecloud24.com"},
    {"avf", "eu-crissier-1", "oraclecloud24.com"},
    {"doh", "me-dcc-doha-1", "oraclecloud21.com"},
    {"vve", "me-alrayyan-1", "oraclecloud21.com"},
    {"ahu", "me-abudhabi-3", "oraclecloud26.com"},
    {"rba", "me-alain-1", "oraclecloud26.com"},
    {"dac", "ap-dcc-gazipur-1", "oraclecloud15.com"},
    {"rkt", "me-abudhabi-2", "oraclecloud29.com"},
    {"shj", "me-abudhabi-4", "oraclecloud29.com"},
    {"ebb", "us-somerset-1", "oraclecloud23.com"},
    {"ebl", "us-thames-1", "oraclecloud23.com"},
    {"dtz", "ap-seoul-2", "oraclecloud35.com"},
    {"dln", "ap-suwon-1", "oraclecloud35.com"},
    {"bno", "ap-chuncheon-2", "oraclecloud35.com"},
    {"yxj", "us-ashburn-2", "oraclecloud42.com"},
    {"pgc", "us-newark-1", "oraclecloud42.com"},
    {"jsk", "eu-budapest-1", "oraclecloud51.com"},
    {"hnw", "sa-riodejaneiro-1", "oraclecloud52.com"},
};

static bool keep(struct prov_oci_region *out, const char *name,
                 const char *domain)
{
  size_t len = strlen(name);
  if (!len || len >= sizeof out->name || strlen(domain) >= sizeof out->domain)
    return false;
  for (size_t i = 0; i <= len; i++)
    out->name[i] = codec_lower(name[i]);
  (void)snprintf(out->domain, sizeof out->domain, "%s", domain);
  return !strchr(out->name, '.') && uri_is_hostname(out->name) &&
         uri_is_hostname(out->domain);
}

static const char *text(const cJSON *object, const char *name)
{
  const char *value =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
  return value ? value : "";
}

static bool described(const cJSON *d, const char *asked,
                      struct prov_oci_region *out)
{
  const char *name = text(d, "regionIdentifier");
  return *asked &&
         (codec_equal_nocase(asked, name) ||
          codec_equal_nocase(asked, text(d, "regionKey"))) &&
         keep(out, name, text(d, "realmDomainComponent"));
}

/* One description, or a list of them. */
static bool in_metadata(const char *metadata, const char *asked,
                        struct prov_oci_region *out)
{
  cJSON *all = metadata ? cJSON_Parse(metadata) : NULL;
  bool found = cJSON_IsObject(all) && described(all, asked, out);
  const cJSON *one;
  if (cJSON_IsArray(all))
    cJSON_ArrayForEach(one, all) found = found || described(one, asked, out);
  cJSON_Delete(all);
  return found;
}

bool prov_oci_region_find(const char *asked, const char *metadata,
                          const char *default_realm,
                          struct prov_oci_region *out)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (codec_equal_nocase(rows[i].key, asked) ||
        codec_equal_nocase(rows[i].name, asked))
      return keep(out, rows[i].name, rows[i].domain);
  if (in_metadata(metadata, asked, out))
    return true;
  return keep(out, asked, default_realm ? default_realm : OC1);
}
