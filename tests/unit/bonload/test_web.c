// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bonload/targets/target.h"
#include "bonload/targets/web/web.h"

static void text_of(const char *xml, const char *element, const char *expected)
{
    char text[64];
    bool is_there = xml_text(xml, strlen(xml), element, text, sizeof text);
    assert_string_equal(text, expected ? expected : "");
    assert_int_equal(is_there, expected != NULL);
}

static void the_text_of_an_element(void **state)
{
    (void)state;
    text_of(
        "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>a &lt;b&gt; &amp;</Message>",
        "Code", "NoSuchKey");
    text_of("<Message>a &lt;b&gt; &amp;amp; &quot;&apos;&#34;</Message>", "Message",
            "a <b> &amp; \"'\"");
    text_of("<Codes>1</Codes><Code>2</Code>", "Code", "2");
    text_of("<Code></Code>", "Code", "");
    text_of("<Code>cut", "Code", NULL);
    text_of("<Code", "Code", NULL);
    text_of("<<<<", "Code", NULL);
    text_of("", "Code", NULL);
    text_of("<A><Code>x</Code>", "B", NULL);
}

static void what_is_too_long_is_cut(void **state)
{
    char text[5];
    (void)state;
    assert_true(xml_text("<C>abcdefgh</C>", 15, "C", text, sizeof text));
    assert_string_equal(text, "abcd");
}

static void keys_are_encoded(void **state)
{
    char memory[100];
    struct text t;
    (void)state;
    text_begin(&t, memory, sizeof memory);
    text_put_encoded(&t, "/a b+c%d//\xc3\xa9~-._", "/");
    assert_string_equal(memory, "/a%20b%2Bc%25d//%C3%A9~-._");
    text_begin(&t, memory, 5);
    text_put(&t, "abcd");
    assert_true(text_is_whole(&t));
    text_put_encoded(&t, "%", "");
    assert_false(text_is_whole(&t));
    text_put(&t, "more");
    assert_string_equal(memory, "abcd");
}

static void describe(const struct web_reasons *r, uint32_t failure, const char *expected)
{
    char text[300];
    web_reasons_describe(r, failure, text, sizeof text);
    assert_string_equal(text, expected);
}

static void one_kind_has_one_failure(void **state)
{
    static struct web_reasons r = {.lock = PTHREAD_MUTEX_INITIALIZER};
    char key[2 * WEB_REASON_KEY] = "";
    (void)state;
    uint32_t first = web_reasons_failure(&r, "404", "404 Not Found");
    uint32_t second = web_reasons_failure(&r, "500", "500 line\none");
    assert_int_not_equal(first, 0);
    assert_int_not_equal(first, second);
    assert_int_equal(web_reasons_failure(&r, "404", "404 in other words"), first);
    memset(key, 'k', sizeof key - 1);
    uint32_t cut = web_reasons_failure(&r, key, "a long key");
    assert_int_equal(web_reasons_failure(&r, key, "is cut"), cut);
    describe(&r, first, "404 Not Found");
    describe(&r, second, "500 line one");
}

static void secrets_become_stars(void **state)
{
    static struct web_reasons r = {.lock = PTHREAD_MUTEX_INITIALIZER};
    char text[300];
    (void)state;
    web_reasons_hide(&r, "s3cret");
    web_reasons_hide(&r, NULL);
    web_reasons_hide(&r, "");
    web_reasons_hide(&r, "****");
    describe(&r, web_reasons_failure(&r, "1", "it is s3cret and s3crets3cret"),
             "it is ****** and ************");
    snprintf(text, sizeof text, "%0*ds3cret", WEB_REASON_TEXT - 4, 0);
    web_reasons_describe(&r, web_reasons_failure(&r, "2", text), text, sizeof text);
    assert_null(strstr(text, "s3"));
}

/* As many as the target s3 may have: its keys and token, and two words of each header. */
static void many_secrets_become_stars(void **state)
{
    static struct web_reasons r = {.lock = PTHREAD_MUTEX_INITIALIZER};
    static char secrets[3 + 2 * 59][12];
    (void)state;
    for (unsigned i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        snprintf(secrets[i], sizeof secrets[i], "secret-%03u", i);
        web_reasons_hide(&r, secrets[i]);
    }
    describe(&r, web_reasons_failure(&r, "1", "secret-000 secret-120"), "********** **********");
}

static void there_is_room_for_a_number_of_kinds(void **state)
{
    static struct web_reasons r = {.lock = PTHREAD_MUTEX_INITIALIZER};
    char key[20];
    uint32_t last = 0;
    (void)state;
    for (int i = 0; i < MAX_WEB_REASONS + 10; i++) {
        snprintf(key, sizeof key, "%d", i);
        uint32_t failure = web_reasons_failure(&r, key, key);
        assert_true(i > MAX_WEB_REASONS ? failure == last : failure != last);
        last = failure;
    }
    describe(&r, last, "another reason");
}

/* ---- signatures --------------------------------------------------------------------------- */

/* The published examples of signature version 4 (aws-sig-v4-test-suite, and the examples of S3's
 * documentation) and of version 2 (the same documentation): the hash of the canonical request is
 * the last line of the string to sign. */

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define FORM  "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e"
#define HELLO "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
#define ALL   "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

#define HOST    "Host: example.amazonaws.com"
#define DATE    "X-Amz-Date: 20150830T123600Z"
#define HEADERS 8

struct known {
    const char *name;
    const char *method;
    const char *path;  /* not yet URL-encoded */
    const char *query; /* as the signature has it */
    const char *headers[HEADERS];
    const char *body_hash;
    const char *canonical_hash; /* NULL: not published */
    const char *signature;
};

static const struct known suite[] = {
    {"get-vanilla",
     "GET",
     "/",
     "",
     {HOST, DATE},
     EMPTY,
     "bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-vanilla-query-order-key-case",
     "GET",
     "/",
     "Param1=value1&Param2=value2",
     {HOST, DATE},
     EMPTY,
     "816cd5b414d056048ba4f7c5386d6e0533120fb1fcfa93762cf0fc39e2cf19e0",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-vanilla-query-unreserved",
     "GET",
     "/",
     ALL "=" ALL,
     {HOST, DATE},
     EMPTY,
     "c30d4703d9f799439be92736156d47ccfb2d879ddf56f5befa6d1d6aab979177",
     "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
    {"get-vanilla-utf8-query",
     "GET",
     "/",
     "%E1%88%B4=bar",
     {HOST, DATE},
     EMPTY,
     "eb30c5bed55734080471a834cc727ae56beb50e5f39d1bff6d0d38cb192a7073",
     "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
    {"get-header-key-duplicate",
     "GET",
     "/",
     "",
     {DATE, "My-Header1: value2", "My-Header1: value2", HOST, "My-Header1: value1"},
     EMPTY,
     "dc7f04a3abfde8d472b0ab1a418b741b7c67174dad1551b4117b15527fbe966c",
     "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
    {"get-header-value-order",
     "GET",
     "/",
     "",
     {HOST, "My-Header1: value4", "My-Header1: value1", "My-Header1: value3", "My-Header1: value2",
      DATE},
     EMPTY,
     "31ce73cd3f3d9f66977ad3dd957dc47af14df92fcd8509f59b349e9137c58b86",
     "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"},
    {"get-header-value-trim",
     "GET",
     "/",
     "",
     {"My-Header2:  \"a   b   c\"", HOST, "My-Header1:  value1 ", DATE},
     EMPTY,
     "a726db9b0df21c14f559d0a978e563112acb1b9e05476f0a6a1c7d68f28605c7",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
    {"get-unreserved",
     "GET",
     "/" ALL,
     "",
     {HOST, DATE},
     EMPTY,
     "6a968768eefaa713e2a6b16b589a8ea192661f098f37349f4e2c0082757446f9",
     "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
    {"get-utf8",
     "GET",
     "/\xe1\x88\xb4",
     "",
     {HOST, DATE},
     EMPTY,
     "2a0a97d02205e45ce2e994789806b19270cfbbb0921b278ccf58f5249ac42102",
     "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"},
    {"get-space-unnormalized",
     "GET",
     "/example space/",
     "",
     {HOST, DATE},
     EMPTY,
     "63ee75631ed7234ae61b5f736dfc7754cdccfedbff4b5128a915706ee9390d86",
     "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"},
    {"get-slashes-unnormalized",
     "GET",
     "//example//",
     "",
     {HOST, DATE},
     EMPTY,
     "528ec3105ee1f34ab014bb0a1a45da0ed2742a4fea3555149e5b4d5d201eb240",
     "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5"},
    {"post-vanilla",
     "POST",
     "/",
     "",
     {HOST, DATE},
     EMPTY,
     "553f88c9e4d10fc9e109e2aeb65f030801b70c2f6468faca261d401ae622fc87",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"post-vanilla-query",
     "POST",
     "/",
     "Param1=value1",
     {HOST, DATE},
     EMPTY,
     "9d659678c1756bb3113e2ce898845a0a79dbbc57b740555917687f1b3340fbbd",
     "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
    {"post-header-key-sort",
     "POST",
     "/",
     "",
     {"My-Header1: value1", DATE, HOST},
     EMPTY,
     "9368318c2967cf6de74404b30c65a91e8f6253e0a8659d6d5319f1a812f87d65",
     "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
    {"post-x-www-form-urlencoded",
     "POST",
     "/",
     "",
     {"Content-Type: application/x-www-form-urlencoded", HOST, "Content-Length: 13", DATE,
      "X-Amz-Content-Sha256: " FORM},
     FORM,
     "b1edd1d03544c25390e32085d55b57acc9a3961bb59415ff86c45c3d89d16cfb",
     "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"},
    {"post-x-www-form-urlencoded-parameters",
     "POST",
     "/",
     "",
     {"Content-Type: application/x-www-form-urlencoded; charset=utf-8", HOST, "Content-Length: 13",
      DATE, "X-Amz-Content-Sha256: " FORM},
     FORM,
     "a89f1a5b53e37702ee6363ce1da3ce8f54386f3c8f352ae652153c2982a0bc4d",
     "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422"},
    {"session token",
     "GET",
     "/",
     "",
     {HOST, DATE,
      "X-Amz-Security-Token: 6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"},
     EMPTY,
     NULL,
     "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"},
};

#define S3_HOST  "Host: examplebucket.s3.amazonaws.com"
#define S3_DATE  "x-amz-date: 20130524T000000Z"
#define S3_EMPTY "x-amz-content-sha256: " EMPTY

static const struct known s3_examples[] = {
    {"GET object",
     "GET",
     "/test.txt",
     "",
     {S3_HOST, "Range: bytes=0-9", S3_EMPTY, S3_DATE},
     EMPTY,
     "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972",
     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
    {"PUT object",
     "PUT",
     "/test$file.text",
     "",
     {S3_HOST, "Date: Fri, 24 May 2013 00:00:00 GMT", S3_DATE,
      "x-amz-storage-class: REDUCED_REDUNDANCY", "x-amz-content-sha256: " HELLO},
     HELLO,
     "9e0e90d9c76de8fa5b200d8c849cd5b8dc7a3be3951ddb7f6a76b4158342019d",
     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
    {"GET bucket lifecycle",
     "GET",
     "/",
     "lifecycle=",
     {S3_HOST, S3_EMPTY, S3_DATE},
     EMPTY,
     NULL,
     "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
    {"list objects",
     "GET",
     "/",
     "max-keys=2&prefix=J",
     {S3_HOST, S3_EMPTY, S3_DATE},
     EMPTY,
     NULL,
     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
};

static const struct sign_keys suite_keys = {
    "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1", "service"};
static const struct sign_keys s3_keys = {
    "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1", "s3"};

/* Links the headers as libcurl has them. */
static const struct curl_slist *link_headers(struct curl_slist list[HEADERS],
                                             const char *const headers[HEADERS])
{
    size_t count = 0;
    for (; count < HEADERS && headers[count]; count++)
        list[count] = (struct curl_slist){(char *)(uintptr_t)headers[count], &list[count + 1]};
    list[count - 1].next = NULL;
    return list;
}

static void open_signer(struct signer *s, const struct sign_keys *keys, size_t room)
{
    struct err e;
    err_init(&e);
    assert_int_equal(signer_open(s, keys, room, &e), 0);
}

static void assert_ends_with(const char *name, const char *text, const char *end)
{
    size_t length = strlen(text);
    if (length < strlen(end) || strcmp(text + length - strlen(end), end) != 0)
        fail_msg("%s: '%s' should end with %s", name, text, end);
}

static void check(struct signer *s, const struct known *k, const char *time)
{
    char path[300];
    char authorization[600];
    struct curl_slist list[HEADERS];
    struct text p;
    struct text a;
    text_begin(&p, path, sizeof path);
    text_put_encoded(&p, k->path, "/");
    text_begin(&a, authorization, sizeof authorization);
    const struct sign_request r = {
        .method = k->method,
        .path = path,
        .query = k->query,
        .headers = link_headers(list, k->headers),
        .body_hash = k->body_hash,
        .time = time,
    };
    assert_int_equal(sign_version4(s, &r, &a), 0);
    if (k->canonical_hash)
        assert_ends_with(k->name, s->to_sign, k->canonical_hash);
    assert_ends_with(k->name, authorization, k->signature);
}

static void version4_of_the_published_suite(void **state)
{
    struct signer s;
    (void)state;
    open_signer(&s, &suite_keys, 2000);
    for (size_t i = 0; i < sizeof suite / sizeof *suite; i++)
        check(&s, &suite[i], "20150830T123600Z");
    assert_string_equal(s.day, "20150830");
    signer_close(&s);
}

static void version4_of_the_examples_of_s3(void **state)
{
    struct signer s;
    (void)state;
    open_signer(&s, &s3_keys, 2000);
    for (size_t i = 0; i < sizeof s3_examples / sizeof *s3_examples; i++)
        check(&s, &s3_examples[i], "20130524T000000Z");
    signer_close(&s);
}

/* Signs headers, with this much room for the canonical request and for the header. */
static int sign_headers(struct signer *s,
                        int (*sign)(struct signer *, const struct sign_request *, struct text *),
                        const char *const headers[HEADERS], size_t room, char *authorization,
                        size_t size)
{
    struct curl_slist list[HEADERS];
    struct text a;
    const struct sign_request r = {.method = "GET",
                                   .path = "/",
                                   .query = "",
                                   .headers = link_headers(list, headers),
                                   .body_hash = EMPTY,
                                   .time = "20150830T123600Z",
                                   .bucket = "",
                                   .subresource = ""};
    open_signer(s, &suite_keys, room);
    text_begin(&a, authorization, size);
    return sign(s, &r, &a);
}

/* The exact canonical request and header. */
static void every_part_stands_where_it_should(void **state)
{
    char authorization[300];
    struct signer s;
    (void)state;
    assert_int_equal(sign_headers(&s, sign_version4, suite[0].headers, 2000, authorization,
                                  sizeof authorization),
                     0);
    assert_string_equal(s.canonical.memory,
                        "GET\n/\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\n"
                        "host;x-amz-date\n" EMPTY);
    assert_string_equal(
        authorization,
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/"
        "aws4_request, SignedHeaders=host;x-amz-date, "
        "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
    signer_close(&s);
}

/* A signing key is valid for one day. */
static void the_key_is_made_for_each_day(void **state)
{
    unsigned char first[SHA256_BYTES];
    struct signer s;
    (void)state;
    open_signer(&s, &suite_keys, 2000);
    check(&s, &suite[0], "20150830T123600Z");
    memcpy(first, s.key, sizeof first);
    struct known other = suite[0];
    other.canonical_hash = NULL;
    other.signature = "";
    check(&s, &other, "20150831T000000Z");
    assert_string_equal(s.day, "20150831");
    assert_memory_not_equal(first, s.key, sizeof first);
    check(&s, &suite[0], "20150830T123600Z");
    assert_memory_equal(first, s.key, sizeof first);
    signer_close(&s);
}

static void no_room_is_a_failure(void **state)
{
    char authorization[300];
    struct signer s;
    (void)state;
    const char *const *headers = suite[0].headers;
    assert_int_equal(sign_headers(&s, sign_version4, headers, 20, authorization, 300), -ENOBUFS);
    signer_close(&s);
    assert_int_equal(sign_headers(&s, sign_version2, headers, 20, authorization, 300), -ENOBUFS);
    signer_close(&s);
    assert_int_equal(sign_headers(&s, sign_version4, headers, 2000, authorization, 100), -ENOBUFS);
    signer_close(&s);
}

struct known2 {
    const char *method;
    const char *type;
    const char *time;
    const char *bucket;
    const char *path;
    const char *subresource;
    const char *signature;
};

static const struct known2 version2[] = {
    {"GET", "", "Tue, 27 Mar 2007 19:36:42 +0000", "/awsexamplebucket1", "/photos/puppy.jpg", "",
     "qgk2+6Sv9/oM7G3qLEjTH1a1l1g="},
    {"PUT", "image/jpeg", "Tue, 27 Mar 2007 21:15:45 +0000", "",
     "/awsexamplebucket1/photos/puppy.jpg", "", "iqRzw+ileNPu1fhspnRs8nOjjIA="},
    {"GET", "", "Tue, 27 Mar 2007 19:42:41 +0000", "", "/awsexamplebucket1/", "",
     "m0WP8eCtspQl5Ahe6L1SozdX9YA="},
    {"GET", "", "Tue, 27 Mar 2007 19:44:46 +0000", "", "/awsexamplebucket1/", "acl",
     "82ZHiFIjc+WbcwFKGUVEQspPn+0="},
};

static void version2_of_the_examples_of_s3(void **state)
{
    struct signer s;
    (void)state;
    open_signer(&s, &s3_keys, 2000);
    for (size_t i = 0; i < sizeof version2 / sizeof *version2; i++) {
        const struct known2 *k = &version2[i];
        char type[40];
        struct curl_slist headers = {type, NULL};
        char authorization[200];
        struct text a;
        const struct sign_request r = {.method = k->method,
                                       .path = k->path,
                                       .headers = &headers,
                                       .time = k->time,
                                       .bucket = k->bucket,
                                       .subresource = k->subresource};
        snprintf(type, sizeof type, "Content-Type: %s", k->type);
        text_begin(&a, authorization, sizeof authorization);
        assert_int_equal(sign_version2(&s, &r, &a), 0);
        assert_ends_with(k->path, authorization, k->signature);
    }
    signer_close(&s);
}

/* Headers are signed if and only if libcurl sends them. */
static void what_is_sent_is_signed(void **state)
{
    static const char *const headers[HEADERS] = {HOST, "Expect:", "B;", "A-B: 2", "a: 1"};
    char authorization[300];
    struct signer s;
    (void)state;
    assert_int_equal(
        sign_headers(&s, sign_version4, headers, 2000, authorization, sizeof authorization), 0);
    assert_string_equal(s.canonical.memory,
                        "GET\n/\n\na:1\na-b:2\nb:\nhost:example.amazonaws.com\n\n"
                        "a;a-b;b;host\n" EMPTY);
    signer_close(&s);
}

/* Where the objects of a bucket are; without an origin, the place is refused. */
static const struct place {
    const char *endpoint;
    const char *bucket;
    enum { UNSAID, IN_HOST, IN_PATH } is_in; /* what -s3-virtual says */
    const char *origin;
    const char *root;
} places[] = {
    {"https://s3.eu-west-1.amazonaws.com", "pail", UNSAID,
     "https://pail.s3.eu-west-1.amazonaws.com", "/"},
    {"https://s3.amazonaws.com", "pail", IN_HOST, "https://pail.s3.amazonaws.com", "/"},
    {"https://s3-eu-west-1.amazonaws.com", "pail", UNSAID,
     "https://pail.s3-eu-west-1.amazonaws.com", "/"},
    {"https://s3.dualstack.eu-west-1.amazonaws.com", "pail", UNSAID,
     "https://pail.s3.dualstack.eu-west-1.amazonaws.com", "/"},
    {"https://s3.cn-north-1.amazonaws.com.cn", "pail", UNSAID,
     "https://pail.s3.cn-north-1.amazonaws.com.cn", "/"},
    /* the bucket stands there once */
    {"https://pail.s3.eu-west-1.amazonaws.com", "pail", UNSAID,
     "https://pail.s3.eu-west-1.amazonaws.com", "/"},
    {"https://s3-logs.s3.eu-west-1.amazonaws.com", "s3-logs", IN_HOST,
     "https://s3-logs.s3.eu-west-1.amazonaws.com", "/"},
    {"https://a.b.s3.eu-west-1.amazonaws.com", "a.b", UNSAID,
     "https://a.b.s3.eu-west-1.amazonaws.com", "/"},
    /* a certificate has no dots, and a host neither capitals nor short names */
    {"https://s3.eu-west-1.amazonaws.com", "a.b", UNSAID, "https://s3.eu-west-1.amazonaws.com",
     "/a.b/"},
    {"http://s3.eu-west-1.amazonaws.com", "a.b", UNSAID, "http://a.b.s3.eu-west-1.amazonaws.com",
     "/"},
    {"https://s3.amazonaws.com", "Pail", UNSAID, "https://s3.amazonaws.com", "/Pail/"},
    {"https://s3.eu-west-1.amazonaws.com", "s3", UNSAID, "https://s3.eu-west-1.amazonaws.com",
     "/s3/"},
    {"https://s3.amazonaws.com", "pail", IN_PATH, "https://s3.amazonaws.com", "/pail/"},
    {"https://pail.s3.amazonaws.com", "pail", IN_PATH, NULL, NULL},
    /* the hosts of other buckets */
    {"https://mine.s3.eu-west-1.amazonaws.com", "pail", UNSAID, NULL, NULL},
    {"https://x.pail.s3.eu-west-1.amazonaws.com", "pail", IN_HOST, NULL, NULL},
    {"https://pail.x.s3.eu-west-1.amazonaws.com", "pail", UNSAID, NULL, NULL},
    {"https://pail.s3.eu-west-1.amazonaws.com", "Pail", UNSAID, NULL, NULL},
    /* hosts that only look like Amazon's */
    {"https://s3.amazonaws.com.example", "pail", UNSAID, "https://s3.amazonaws.com.example",
     "/pail/"},
    {"https://bucket.vpce-1-2.s3.us-east-1.vpce.amazonaws.com", "pail", UNSAID,
     "https://bucket.vpce-1-2.s3.us-east-1.vpce.amazonaws.com", "/pail/"},
    {"http://s3.eu.example:8000/", "s3", UNSAID, "http://s3.eu.example:8000", "/s3/"},
    {"http://pail.example", "pail", UNSAID, "http://pail.example", "/pail/"},
    {"http://pail.example", "pail", IN_HOST, "http://pail.example", "/"},
    {"http://PAIL.example:80/p/", "pail", IN_HOST, "http://pail.example", "/p/"},
    {"http://example", "pail", IN_HOST, "http://pail.example", "/"},
    {"http://example", "tenant:pail", UNSAID, "http://example", "/tenant%3Apail/"},
    {"http://example", "tenant:pail", IN_HOST, NULL, NULL},
    {"http://[::1]:9000", "pail", IN_HOST, NULL, NULL},
    /* the zone of an address */
    {"http://[fe80::1%25eth0]:9000", "pail", UNSAID, "http://[fe80::1%25eth0]:9000", "/pail/"},
    {"http://[fe80::1%25eth0]", "pail", UNSAID, "http://[fe80::1%25eth0]", "/pail/"},
};

static void an_endpoint_and_a_bucket_are_one_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct place *p = &places[i];
        struct settings s = {
            .s3_bucket = p->bucket,
            .s3_virtual = {.given = p->is_in != UNSAID, .value = p->is_in == IN_HOST},
            .s3_api_key = "access",
            .s3_secret_key = "secret"};
        struct s3_place place;
        struct err e;
        err_init(&e);
        snprintf(s.s3_endpoint, sizeof s.s3_endpoint, "%s", p->endpoint);
        int rc = s3_place_find(&place, &s, &e);
        if ((rc == 0) != (p->origin != NULL))
            fail_msg("%s, %s: %s", p->endpoint, p->bucket, rc ? e.text : "should be refused");
        if (rc != 0)
            continue;
        assert_string_equal(place.sites[0].origin, p->origin);
        assert_string_equal(place.sites[0].root, p->root);
        assert_null(strchr(place.sites[0].host, '%'));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_of_an_element),
        cmocka_unit_test(what_is_too_long_is_cut),
        cmocka_unit_test(keys_are_encoded),
        cmocka_unit_test(one_kind_has_one_failure),
        cmocka_unit_test(secrets_become_stars),
        cmocka_unit_test(many_secrets_become_stars),
        cmocka_unit_test(there_is_room_for_a_number_of_kinds),
        cmocka_unit_test(version4_of_the_published_suite),
        cmocka_unit_test(version4_of_the_examples_of_s3),
        cmocka_unit_test(every_part_stands_where_it_should),
        cmocka_unit_test(the_key_is_made_for_each_day),
        cmocka_unit_test(no_room_is_a_failure),
        cmocka_unit_test(version2_of_the_examples_of_s3),
        cmocka_unit_test(what_is_sent_is_signed),
        cmocka_unit_test(an_endpoint_and_a_bucket_are_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
