// What OpenAI's clients ask for, and who may.
#include "service/openai/front.h"
#include "service/server/api.h"

namespace sy::server {

using auth::Role;

std::vector<Route> Api::openai_routes() {
    return {
        {"GET", "/v1/models", Role::read, "The models, as OpenAI lists them",
         [](Api& api, const Call& call) { call.answer(api.front_->models()); }},
        {"GET", "/v1/models/{rest}", Role::read, "One model",
         [](Api& api, const Call& call) { call.answer(api.front_->model(call.name)); }},
        {"POST", "/v1/chat/completions", Role::submit, "Have a model go on with a conversation",
         [](Api& api, const Call& call) { api.front_->call(openai::kChat, call.request, call.caller, call.answer); }},
        {"POST", "/v1/completions", Role::submit, "Have a model go on with a text",
         [](Api& api, const Call& call) {
             api.front_->call(openai::kCompletions, call.request, call.caller, call.answer);
         }},
        {"POST", "/v1/embeddings", Role::submit, "Have a model turn texts into vectors",
         [](Api& api, const Call& call) {
             api.front_->call(openai::kEmbeddings, call.request, call.caller, call.answer);
         }},
        {"GET", "/v1/files", Role::read, "The files of batches, the latest first",
         [](Api& api, const Call& call) { call.answer(api.front_->list_files(call.request)); }},
        {"POST",
         "/v1/files",
         Role::submit,
         "Send a file for a batch, as multipart/form-data",
         [](Api& api, const Call& call) { call.answer(api.front_->add_file(call.request)); },
         {.takes_forms = true}},
        {"GET", "/v1/files/{name}", Role::read, "What is known of a file",
         [](Api& api, const Call& call) { call.answer(api.front_->show_file(call.name)); }},
        {"DELETE", "/v1/files/{name}", Role::submit, "Delete a file",
         [](Api& api, const Call& call) { call.answer(api.front_->remove_file(call.name)); }},
        {"GET", "/v1/files/{name}/content", Role::read, "What is in a file",
         [](Api& api, const Call& call) { call.answer(api.front_->file_content(call.name)); }},
        {"GET", "/v1/batches", Role::read, "The batches of calls, the latest first",
         [](Api& api, const Call& call) { call.answer(api.front_->list_batches(call.request)); }},
        {"POST", "/v1/batches", Role::submit, "Have a file of calls answered",
         [](Api& api, const Call& call) { call.answer(api.front_->add_batch(call.request, call.caller)); }},
        {"GET", "/v1/batches/{name}", Role::read, "How a batch stands",
         [](Api& api, const Call& call) { call.answer(api.front_->show_batch(call.name)); }},
        {"POST", "/v1/batches/{name}/cancel", Role::submit, "Call a batch off",
         [](Api& api, const Call& call) { call.answer(api.front_->cancel_batch(call.name)); }},
    };
}

}  // namespace sy::server
